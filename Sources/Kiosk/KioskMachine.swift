// SPDX-License-Identifier: GPL-3.0-or-later

/// The kiosk's state machine: events and the time go in, commands come out. No clock, no I/O.
///
///                      previewStarted, or the start limit
///        ┌──────────┐ ───────────────────────────────────→ ┌──────┐ ←───────────────────────┐
///        │ starting │                                       │ live │ ←──────────┐            │
///        └──────────┘              press, countdown n > 0   └──────┘            │            │
///              │        ┌───────────┐ ←─────────────────────  │  ↑              │            │
///              │        │ countdown │       cancel            │  │ captureFailed│            │
///              │        └───────────┘ ────────────────────→   │  │ (notice)     │            │
///              │              │ moment                        ↓  │              │            │
///              │              └────────────────→ ┌───────────┐ ─┘    saved,     │            │
///              │                   press, n = 0  │ capturing │       review 0   │            │
///              │                   or in review  └───────────┘ ──→ (notice) ────┘            │
///              │                                   ↑      │ saved                            │
///              │                            press  │      ↓               time, or cancel    │
///              │                                 ┌──────────┐ ───────────────────────────────┤
///              │                                 │  review  │                                │
///              │                                 └──────────┘                                │
///              │ problem      problem (a review runs on first)          last problem gone    │
///              └──────────→ ┌───────┐ ───────────────────────────────────────────────────────┘
///              any other ─→ │ fault │
///                           └───────┘
///
/// Photos overlap: once its capture is ordered, a shot runs until it is saved or fails, while the
/// screen is free for the next press. A problem ends a countdown without a photo. A shot whose
/// answers never come is given up after a limit, so the machine never gets stuck in a state.
///
/// A view of photos, clips or other media replaces the live picture until a press, its end, the
/// idle time or a problem.
///
/// A movie runs beside these states, from the press that starts it (or the end of its countdown) to
/// the press that ends it.
///
/// The first accepted press starts a guest's session, which is attached to every shot. It ends when
/// nobody has pressed anything for a while or when somebody ends it. If configured, the screen is
/// off when nobody has been there for long; the press that switches it on does nothing else.
///
/// The owner sends `.tick` once at the beginning (its outcome sets the lamps, flash and scene) and
/// then at every ``nextDeadline``.
public struct KioskMachine: Sendable {
    /// A change applies from the next event; a running countdown or review keeps its times.
    public var configuration: KioskConfiguration
    /// Counts of everything that has happened so far.
    public internal(set) var counts = KioskCounts()

    var now: Int64
    var started = false
    var isStopping = false
    let startLimit: Int64
    var problems: [KioskProblem] = []
    /// The shots in flight, in the order of their presses.
    var shots: [Shot] = []
    var lastShot: Int64 = 0
    var recording: Recording?
    var lastRecording: Int64 = 0
    var viewing: Viewing?
    var lastView: Int64 = 0
    var isTimelapseRunning = false
    /// Why nothing can be taken for a while although nothing is wrong; `nil` if something can.
    var occupation: String?
    /// The sound level of the running movie, in steps; `nil` while it is unknown.
    var soundLevel: Int?
    /// The assets that wait for their copies, in words; `nil` if none do.
    var copiesWaiting: String?
    var session = GuestSession()
    var lastTouch: Int64
    var isAsleep = false
    var review: TimedReview?
    var lastReviewed = ShotIdentifier(number: 0)
    var notice: TimedNotice?
    var flash = Flash()
    var commands: [KioskCommand] = []

    private var shownScene: Scene?
    private var shownLamp: Bool?
    private var shownRecordingLamp = false
    private var shownFlash: Bool?
    private var shownAsleep = false

    /// Creates a kiosk that waits for its camera. All times are nanoseconds of `CLOCK_MONOTONIC`.
    public init(_ configuration: KioskConfiguration = KioskConfiguration(), at now: Int64) {
        self.configuration = configuration
        self.now = now
        lastTouch = now
        startLimit = now + nanoseconds(configuration.startLimitSeconds)
    }

    /// Handles one event. If `now` is earlier than the previous event, that event's time is used.
    public mutating func handle(_ event: KioskEvent, at now: Int64) -> KioskOutcome {
        self.now = max(self.now, now)
        advance()
        var verdict: PressVerdict?
        switch event {
        case .tick: break
        case .press(let press):
            let woke = wake() && press.origin == .button
            let left = leaveView(for: press)
            if left { session.touch(at: self.now) }
            verdict = woke || left ? .performed : accept(press)
        case .previewStarted: started = true
        case .captured(let id): captured(id)
        case .captureFailed(let id, let reason): captureFailed(id, reason)
        case .partSaved: libraryAnswered()
        case .saved(let id, let photo): saved(id, photo)
        case .saveFailed(let id, let reason): saveFailed(id, reason)
        case .endRecording(let id): if recording?.id == id { stopRecording() }
        case .recordingEnded(let id, let result): recordingEnded(id, result)
        case .order(let number): verdict = show(order: number)
        case .viewShows(let id, let face): viewShows(id, face)
        case .viewEnded(let id, let end): viewEnded(id, end)
        case .timelapse(let news): timelapse(news)
        case .occupied(let reason): occupation = reason
        case .motion: _ = wake()
        case .soundLevel(let level): soundLevel = level.map(Scene.Recording.step)
        case .recordingRoom(let seconds): recording?.room = seconds
        case .copiesWaiting(let words): copiesWaiting = words
        case .problem(let problem): appeared(problem)
        case .problemGone(let code): gone(code)
        case .stopping:
            isStopping = true
            endView()
            cancelShots(where: \.isCountingDown)
            stopRecordingForGood()
        }
        // A press without a countdown may be due at once.
        advance()
        report()
        defer { commands = [] }
        return KioskOutcome(commands: commands, verdict: verdict)
    }

    /// When to send the next `.tick`, later than the last event; `nil` while nothing is due.
    public var nextDeadline: Int64? {
        var times: [Int64] = []
        if !started { times.append(startLimit) }
        if let end = session.deadline(idle: sessionIdle) { times.append(end) }
        if let sleepTime { times.append(sleepTime) }
        if let review { times.append(review.until) }
        if let notice { times.append(notice.until) }
        if let since = flash.since { times.append(since + flashMaximum) }
        if let end = flash.nextEnd { times.append(end) }
        if let change = recordingDeadline { times.append(change) }
        if let viewDeadline { times.append(viewDeadline) }
        for shot in shots {
            times.append(shot.orderTime + nanoseconds(configuration.savingNoticeSeconds))
            switch shot.stage {
            case .counting:
                times.append(shot.moment - captureLead)
                if !shot.flashed { times.append(shot.lightTime) }
            case .capturing(let until):
                times.append(until)
                if !shot.flashed { times.append(shot.lightTime) }
            case .saving(let until): times.append(until)
            }
            if let face = shot.countdown.face(at: now) { times.append(face.end) }
        }
        return times.filter { $0 > now }.min()
    }

    /// The kiosk's state in one word.
    public var state: KioskState {
        if isAsleep { return .asleep }
        if fault != nil { return review == nil ? .fault : .review }
        if countdown != nil { return .countdown }
        if review != nil { return .review }
        if viewing?.face != nil { return .viewing }
        if !started { return .starting }
        if recording?.isRunning == true { return .recording }
        return occupation != nil || shots.contains { $0.isCapturing } ? .capturing : .live
    }

    /// The session of the current guest; `nil` without one.
    public var guestSession: SessionNumber? { session.current }

    /// Whether no shot is in flight and no movie is counted down to, recorded or saved.
    public var isIdle: Bool { shots.isEmpty && recording == nil }

    /// The number of accepted presses that are neither saved nor failed, including a countdown.
    public var photosInFlight: Int { shots.count }

    /// Whether a photo press would be accepted now.
    public var isReady: Bool {
        started && !isStopping && fault == nil && countdown == nil && occupation == nil
            && shots.count < configuration.maximumInFlight
    }

    private var invites: Bool { isReady && oddity == nil }

    var sessionIdle: Int64 { nanoseconds(configuration.sessionIdleSeconds) }
    /// How long before its moment a photo is ordered; a photo with flash only once that is lit.
    var captureLead: Int64 {
        let lead = nanoseconds(milliseconds: configuration.captureLeadMilliseconds)
        return configuration.hasFlash ? min(lead, flashLead) : lead
    }
    var flashLead: Int64 { nanoseconds(milliseconds: configuration.flashLeadMilliseconds) }
    /// How long the flash stays on after the shutter moment: more than a frame at 25 per second.
    var flashTail: Int64 { nanoseconds(milliseconds: 50) }
    var flashMaximum: Int64 { nanoseconds(milliseconds: configuration.flashMaximumMilliseconds) }

    /// The problem that the screen shows: the most severe, and among equals the oldest.
    var fault: KioskProblem? {
        let standing = problems.filter { [.noPreview, .noPhotos].contains($0.effect) }
        return standing.min { $0.effect.rawValue < $1.effect.rawValue }
    }

    /// The oldest problem that is shown although it does not prevent photos.
    var oddity: KioskProblem? { problems.first { $0.effect == .noticed } }

    private mutating func advance() {
        if !started && now >= startLimit { started = true }
        advanceShots()
        advanceRecording()
        if let end = session.deadline(idle: sessionIdle), now >= end { _ = session.end() }
        advanceView()
        if let sleepTime, now >= sleepTime { isAsleep = true }
        if let review, now >= review.until { self.review = nil }
        if let notice, now >= notice.until { self.notice = nil }
        flash.endShots(at: now)
        if let since = flash.since, now >= since + flashMaximum { flash.turnOff() }
    }

    /// When the screen is switched off; `nil` while somebody may be waiting for something on it.
    private var sleepTime: Int64? {
        guard let limit = configuration.screenOffSeconds, !isAsleep, shots.isEmpty, review == nil,
            recording == nil, viewing == nil
        else { return nil }
        return lastTouch + nanoseconds(limit)
    }

    /// Records that somebody is there, and wakes the screen; returns whether it was off.
    private mutating func wake() -> Bool {
        lastTouch = now
        defer { isAsleep = false }
        return isAsleep
    }

    private mutating func report() {
        reportFlash()
        if shownLamp != invites {
            shownLamp = invites
            commands.append(.readyLamp(invites))
        }
        let isRunning = recording?.isRunning ?? false
        if shownRecordingLamp != isRunning {
            shownRecordingLamp = isRunning
            commands.append(.recordingLamp(isRunning))
        }
        if shownAsleep != isAsleep {
            shownAsleep = isAsleep
            commands.append(.screen(!isAsleep))
        }
        let scene = self.scene
        if shownScene != scene {
            shownScene = scene
            commands.append(.show(scene))
        }
    }

    mutating func reportFlash() {
        guard shownFlash != flash.isOn else { return }
        shownFlash = flash.isOn
        commands.append(.flash(flash.isOn))
    }

    private mutating func appeared(_ problem: KioskProblem) {
        if let index = problems.firstIndex(where: { $0.code == problem.code }) {
            problems[index] = problem
        } else {
            problems.append(problem)
        }
        if problem.effect == .noClips { interruptRecording(problem) }
        guard fault != nil else { return }
        endView()
        for shot in shots where shot.isCounting {
            let text = configuration.texts.interrupted
            fail(shot.id, reason: "the countdown was interrupted: \(problem.code)", notice: text)
        }
        interruptRecording(problem)
    }

    private mutating func gone(_ code: String) {
        guard let index = problems.firstIndex(where: { $0.code == code }) else { return }
        let problem = problems.remove(at: index)
        if problem.effect == .noPreview { started = true }
    }
}

struct TimedReview: Sendable {
    var photo: SavedPhoto
    var until: Int64
}

struct TimedNotice: Sendable {
    var notice: Scene.Notice
    var until: Int64
}

struct Flash: Sendable {
    /// The start of the light's maximum time: the latest lead of all its shots, possibly in the
    /// future. `nil` while the light is off.
    private(set) var since: Int64?
    /// The time until which each shot needs the light; `nil` while it is unknown.
    private var shots: [ShotIdentifier: Int64?] = [:]

    var isOn: Bool { since != nil }
    var nextEnd: Int64? { shots.values.compactMap(\.self).min() }

    /// Turns the light on for a shot that needs it from `lead` at the latest.
    mutating func turnOn(for shot: ShotIdentifier, from lead: Int64) {
        shots.updateValue(nil, forKey: shot)
        since = max(since ?? lead, lead)
    }

    mutating func end(_ shot: ShotIdentifier, at time: Int64, now: Int64) {
        guard let known = shots[shot] else { return }
        shots.updateValue(known ?? time, forKey: shot)
        endShots(at: now)
    }

    mutating func endShots(at now: Int64) {
        shots = shots.filter { $0.value.map { $0 > now } ?? true }
        if shots.isEmpty { since = nil }
    }

    mutating func turnOff() {
        shots = [:]
        since = nil
    }
}
