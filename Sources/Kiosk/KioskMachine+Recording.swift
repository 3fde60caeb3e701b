// SPDX-License-Identifier: GPL-3.0-or-later

/// The identifier of a movie, from its press to its end.
public struct RecordingIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The number, counted from 1 since the machine was created.
    public let number: Int64

    /// An identifier. A machine does not know numbers that it has not assigned.
    public init(number: Int64) { self.number = number }

    /// A text for logs, such as "recording 3".
    public var description: String { "recording \(number)" }
}

/// The result of a recording.
public enum RecordingResult: Sendable, Equatable {
    /// The movie is durable; `isCut` tells whether it ended early.
    case saved(SavedPhoto, isCut: Bool)
    /// There is no movie, for this reason.
    case failed(reason: String)
    /// The countdown was cancelled.
    case cancelled

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
    /// The time from the press's first edge to the start of the movie.
    let countdown: Countdown
    var isCounting = true
    /// When to give up waiting for the end; `nil` until the movie is stopped.
    var savedUntil: Int64?
    /// When people began to wait for the movie to be saved.
    var stopTime: Int64?
    var isCut = false
    /// Estimated seconds until the maximum size or the free space ends it; `nil` if unknown.
    var room: Double?

    var begin: Int64 { countdown.moment }
    var isRunning: Bool { !isCounting && savedUntil == nil }

    /// Returns the whole seconds since the movie began.
    func elapsed(at now: Int64) -> Int { Int(max(0, now - begin) / 1_000_000_000) }
}

extension KioskMachine {
    /// Whether a movie has begun that is neither saved nor failed.
    public var isRecording: Bool { recording.map { !$0.isCounting } ?? false }

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

    /// Why no movie can be made until a problem is gone, in plain words; `nil` if one can.
    public var obstacleToMovies: String? {
        obstacle ?? problemOfMovies.map { configuration.texts.fault($0).sentences }
    }

    private var problemOfMovies: KioskProblem? { problems.first { $0.effect == .noClips } }

    /// Returns the refusal of a movie, and counts it; `nil` if a movie can be made.
    mutating func refusalOfMovie() -> PressVerdict? {
        if let refusal = refusal() { return refusal }
        guard let problem = problemOfMovies, let obstacleToMovies else { return nil }
        counts.impossible += 1
        showNotice(.failure, configuration.texts.fault(problem).title)
        return .impossible(reason: obstacleToMovies)
    }

    /// Cancels the countdown to a movie; returns whether one was running.
    mutating func cancelRecording() -> Bool {
        guard let recording, recording.isCounting else { return false }
        self.recording = nil
        counts.moviesCancelled += 1
        commands.append(.recorded(recording.id, .cancelled))
        showNotice(.progress, configuration.texts.cancelled)
        return true
    }

    mutating func interruptRecording(_ problem: KioskProblem) {
        guard let recording, recording.isCounting else { return }
        self.recording = nil
        counts.moviesFailed += 1
        let reason = "the countdown was interrupted: \(problem.code)"
        commands.append(.recorded(recording.id, .failed(reason: reason)))
        showNotice(.failure, configuration.texts.movieInterrupted)
    }

    mutating func stopRecording() {
        if cancelRecording() { return }
        guard let recording, recording.isRunning else { return }
        commands.append(.stopRecording(recording.id))
        // Saving reads the movie once more, which takes at most as long as recording it did.
        let length = max(now - recording.begin, 0)
        self.recording?.savedUntil = now + nanoseconds(configuration.saveLimitSeconds) + length
        self.recording?.stopTime = now
    }

    /// Stops the movie because the kiosk is stopping, and waits for it no longer than for a photo.
    mutating func stopRecordingForGood() {
        let wasRunning = recording?.isRunning == true
        stopRecording()
        if wasRunning { recording?.isCut = true }
        guard let limit = recording?.savedUntil else { return }
        recording?.savedUntil = min(limit, now + nanoseconds(configuration.saveLimitSeconds))
    }

    /// Starts a movie after its countdown, stops one at the maximum length, and gives up one whose
    /// end is not reported in time.
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
        // The screen stays on, so that the person who waited sees the result.
        lastTouch = now
        commands.append(.recorded(id, result))
        switch result {
        case .saved(let movie, let isCut):
            counts.moviesSaved += 1
            let texts = configuration.texts
            showNotice(isCut ? .failure : .success, isCut ? texts.movieCut : texts.movieSaved)
            review(clip: movie)
        case .failed:
            counts.moviesFailed += 1
            showNotice(.failure, configuration.texts.movieFailed)
        case .cancelled: counts.moviesCancelled += 1
        }
    }

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

    /// The running movie as the screen shows it; `nil` if none runs.
    var recordingFace: Scene.Recording? {
        guard let recording, recording.isRunning else { return nil }
        let elapsed = recording.elapsed(at: now)
        let limit = configuration.recordingSeconds.map { max(0, Int($0.rounded(.up)) - elapsed) }
        // The remaining room is shown only when it is short.
        let room = recording.room.map { Int($0) }.flatMap { $0 < Self.plentyOfRoom ? $0 : nil }
        return Scene.Recording(
            elapsed: elapsed, remaining: [limit, room].compactMap(\.self).min(),
            level: soundLevel)
    }
    private static let plentyOfRoom = 600

    /// Whether the screen says that the movie is being saved.
    var isSavingLate: Bool {
        guard let time = recording?.stopTime else { return false }
        return now >= time + nanoseconds(configuration.savingNoticeSeconds)
    }
}
