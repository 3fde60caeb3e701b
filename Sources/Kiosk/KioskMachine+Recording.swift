// SPDX-License-Identifier: GPL-3.0-or-later

/// A movie that somebody has begun: goes with it to its end.
public struct RecordingIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// Counts up from 1 since the machine was made.
    public let number: Int64

    /// The recording with this number; unknown to a machine that did not give it out.
    public init(number: Int64) { self.number = number }

    /// For logs, for example "recording 3".
    public var description: String { "recording \(number)" }
}

/// How a recording ended.
public enum RecordingResult: Sendable, Equatable {
    /// As a durable movie, cut short or not.
    case saved(SavedPhoto, isCut: Bool)
    /// Without a movie, and why.
    case failed(reason: String)
    /// Taken back during its countdown.
    case cancelled

    /// The same of a movie that nobody had wanted to end.
    fileprivate var cut: RecordingResult {
        if case .saved(let movie, _) = self { .saved(movie, isCut: true) } else { self }
    }
}

/// The movie that is being recorded.
///
///     (press) ──▶ counting ──▶ running ──press, the limit, stopping──▶ saving ──ended──▶ (nothing)
///                    │            └───────────────── ended ────────────────────────────────▲
///                    └───────────────── cancelled, a problem ──────────────────────────────┘
struct Recording: Sendable {
    let id: RecordingIdentifier
    let session: SessionNumber
    /// From the press's first edge to the movie's beginning.
    let countdown: Countdown
    /// Its countdown runs.
    var isCounting = true
    /// By when its end must be known; `nil` while it runs.
    var savedUntil: Int64?
    /// When people began to wait for it to be saved.
    var stopTime: Int64?
    /// Nobody had wanted it to end.
    var isCut = false
    /// Seconds until it ends for want of room; `nil` where that is not known.
    var room: Double?

    var begin: Int64 { countdown.moment }
    var isRunning: Bool { !isCounting && savedUntil == nil }

    /// Whole seconds since it began.
    func elapsed(at now: Int64) -> Int { Int(max(0, now - begin) / 1_000_000_000) }
}

extension KioskMachine {
    /// Whether a movie has begun that is neither saved nor failed.
    public var isRecording: Bool { recording.map { !$0.isCounting } ?? false }

    /// Begins a movie, takes back the one that is counted down to, or ends the one that runs.
    mutating func record(_ press: KioskPress) -> PressVerdict {
        if let recording, !recording.isCounting {
            guard recording.isRunning, press.action == .record else {
                counts.busy += 1
                return .busy(
                    reason: recording.isRunning
                        ? "A clip is being recorded." : "The clip is still being saved.")
            }
            stopRecording()
            return .recording(recording.id, begins: false)
        }
        if recording != nil, press.action == .record { return cancel() }
        if let refusal = refusalOfMovie() { return refusal }
        lastRecording += 1
        let configured = press.action == .record ? configuration.recordingCountdownSeconds : 0
        let new = Recording(
            id: RecordingIdentifier(number: lastRecording), session: session.begin(at: now),
            countdown: Countdown(
                seconds: press.countdownSeconds ?? configured, from: press.timestamp, at: now,
                reachesBack: configuration.recordingHasPreRoll))
        recording = new
        soundLevel = nil
        review = nil
        notice = nil
        return .recording(new.id, begins: true)
    }

    /// Why no movie can be made, until a problem is gone, in plain words; `nil` when one can.
    public var obstacleToMovies: String? {
        obstacle ?? problemOfMovies.map { configuration.texts.fault($0).sentences }
    }

    private var problemOfMovies: KioskProblem? { problems.first { $0.effect == .noClips } }

    /// Why no movie can be made now, counted; `nil` when one can.
    mutating func refusalOfMovie() -> PressVerdict? {
        if let refusal = refusal() { return refusal }
        guard let problem = problemOfMovies, let obstacleToMovies else { return nil }
        counts.impossible += 1
        tell(.failure, configuration.texts.fault(problem).title)
        return .impossible(reason: obstacleToMovies)
    }

    /// Takes back the movie that is counted down to.
    ///
    /// - Returns: whether there was one.
    mutating func cancelRecording() -> Bool {
        guard let recording, recording.isCounting else { return false }
        self.recording = nil
        counts.moviesCancelled += 1
        commands.append(.recorded(recording.id, .cancelled))
        tell(.progress, configuration.texts.cancelled)
        return true
    }

    /// The same because of a problem.
    mutating func interruptRecording(_ problem: KioskProblem) {
        guard let recording, recording.isCounting else { return }
        self.recording = nil
        counts.moviesFailed += 1
        let reason = "the countdown was interrupted: \(problem.code)"
        commands.append(.recorded(recording.id, .failed(reason: reason)))
        tell(.failure, configuration.texts.movieInterrupted)
    }

    /// Ends the movie that runs, if one does, or the countdown to it.
    mutating func stopRecording() {
        if cancelRecording() { return }
        guard let recording, recording.isRunning else { return }
        commands.append(.stopRecording(recording.id))
        // It is read once more to be saved, which takes no longer than it took to come about.
        let length = max(now - recording.begin, 0)
        self.recording?.savedUntil = now + nanoseconds(configuration.saveLimitSeconds) + length
        self.recording?.stopTime = now
    }

    /// Ends the movie that runs; nobody waits for one longer than for a photo.
    mutating func stopRecordingForGood() {
        let wasRunning = recording?.isRunning == true
        stopRecording()
        if wasRunning { recording?.isCut = true }
        guard let limit = recording?.savedUntil else { return }
        recording?.savedUntil = min(limit, now + nanoseconds(configuration.saveLimitSeconds))
    }

    /// Begins a movie whose countdown is over, ends one that is as long as it may be, and gives up on one whose end
    /// nobody tells.
    mutating func advanceRecording() {
        if let recording, recording.isCounting, now >= recording.begin {
            self.recording?.isCounting = false
            commands.append(
                .startRecording(
                    recording.id, moment: recording.begin, session: recording.session))
        }
        if let recording, recording.isRunning, let limit = limit(of: recording), now >= limit {
            stopRecording()
        }
        guard let recording, let limit = recording.savedUntil, now >= limit else { return }
        counts.unanswered += 1
        recordingEnded(recording.id, .failed(reason: "the library did not answer"))
    }

    private func limit(of recording: Recording) -> Int64? {
        configuration.recordingSeconds.map { recording.begin + nanoseconds($0) }
    }

    mutating func recordingEnded(_ id: RecordingIdentifier, _ result: RecordingResult) {
        guard let recording, recording.id == id, !recording.isCounting else {
            if (1...max(lastRecording, 1)).contains(id.number) {
                counts.repeatedAnswers += 1
            } else {
                counts.unknownAnswers += 1
            }
            return
        }
        self.recording = nil
        let result = recording.isCut ? result.cut : result
        // Whoever waited for it sees what became of it.
        lastTouch = now
        commands.append(.recorded(id, result))
        switch result {
        case .saved(_, let isCut):
            counts.moviesSaved += 1
            let texts = configuration.texts
            tell(isCut ? .failure : .success, isCut ? texts.movieCut : texts.movieSaved)
        case .failed:
            counts.moviesFailed += 1
            tell(.failure, configuration.texts.movieFailed)
        case .cancelled: counts.moviesCancelled += 1
        }
    }

    /// When the scene, or the recording itself, changes next because of the time.
    var recordingDeadline: Int64? {
        guard let recording else { return nil }
        if recording.isCounting { return recording.countdown.face(at: now)?.end }
        if let limit = recording.savedUntil {
            let notice = recording.stopTime.map {
                $0 + nanoseconds(configuration.savingNoticeSeconds)
            }
            return [limit, notice ?? limit].filter { $0 > now }.min()
        }
        let next = recording.begin + Int64(recording.elapsed(at: now) + 1) * 1_000_000_000
        return min(next, limit(of: recording) ?? next)
    }

    /// What the screen says of it; `nil` when none runs.
    var recordingFace: Scene.Recording? {
        guard let recording, recording.isRunning else { return nil }
        let elapsed = recording.elapsed(at: now)
        let limit = configuration.recordingSeconds.map { max(0, Int($0.rounded(.up)) - elapsed) }
        // How long there is room nobody wants to know who has plenty.
        let room = recording.room.map { Int($0) }.flatMap { $0 < Self.plentyOfRoom ? $0 : nil }
        return Scene.Recording(
            elapsed: elapsed, remaining: [limit, room].compactMap(\.self).min(),
            level: soundLevel)
    }
    private static let plentyOfRoom = 600

    /// Whether the screen is to say that it is being saved.
    var isSavingLate: Bool {
        guard let time = recording?.stopTime else { return false }
        return now >= time + nanoseconds(configuration.savingNoticeSeconds)
    }
}
