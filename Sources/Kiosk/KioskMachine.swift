// SPDX-License-Identifier: GPL-3.0-or-later

/// What the kiosk does, as a value: events and the time go in, commands come out. No clock, no I/O.
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
/// Photos overlap: from its capture command on, a shot is in flight by itself until it is saved or has
/// failed, while the screen goes on with the next one. A countdown that a problem interrupts is over,
/// without a photo. Shots whose answers never come are given up after a limit, so that every state
/// has a way out.
///
/// A movie runs beside all this, in any state, from the press that begins it, or the end of its countdown, to the one
/// that ends it.
///
/// The first accepted press begins a guest's session, which goes with every shot until nobody has pressed
/// anything for a while or somebody ends it. Where that is configured, the screen is switched off when nobody
/// has pressed anything for long, in any state; the press that switches it on does nothing else.
///
/// The owner sends `.tick` once at the beginning (the answer states lamp, flash and scene) and then
/// at every ``nextDeadline``.
public struct KioskMachine: Sendable {
    /// Takes effect with the next event; a countdown or review under way keeps its times.
    public var configuration: KioskConfiguration
    /// What has happened so far.
    public internal(set) var counts = KioskCounts()

    var now: Int64
    var started = false
    var isStopping = false
    let startLimit: Int64
    var problems: [KioskProblem] = []
    /// In the order of their presses.
    var shots: [Shot] = []
    var lastShot: Int64 = 0
    var recording: Recording?
    var lastRecording: Int64 = 0
    var isTimelapseRunning = false
    /// Why nothing can be taken for a while, though nothing is wrong; `nil` when something can.
    var occupation: String?
    /// In steps, of the movie that is being recorded; `nil` while it is not known.
    var soundLevel: Int?
    var session = GuestSession()
    /// When somebody was there last.
    var lastTouch: Int64
    var isAsleep = false
    var review: TimedReview?
    var lastReviewed = ShotIdentifier(number: 0)
    var notice: TimedNotice?
    var flash = Flash()
    /// What this event has led to so far.
    var commands: [KioskCommand] = []

    // What the owner was last told.
    private var shownScene: Scene?
    private var shownLamp: Bool?
    private var shownRecordingLamp = false
    private var shownFlash: Bool?
    private var shownAsleep = false

    /// A kiosk that waits for its camera.
    ///
    /// - Parameter now: nanoseconds of `CLOCK_MONOTONIC`, as everywhere here.
    public init(_ configuration: KioskConfiguration = KioskConfiguration(), at now: Int64) {
        self.configuration = configuration
        self.now = now
        lastTouch = now
        startLimit = now + nanoseconds(configuration.startLimitSeconds)
    }

    /// Takes one event. `now` earlier than before counts as before.
    public mutating func handle(_ event: KioskEvent, at now: Int64) -> KioskOutcome {
        self.now = max(self.now, now)
        advance()
        var verdict: PressVerdict?
        switch event {
        case .tick: break
        case .press(let press):
            let woke = wake()
            verdict = woke && press.origin == .button ? .performed : take(press)
        case .previewStarted: started = true
        case .captured(let id): captured(id)
        case .captureFailed(let id, let reason): captureFailed(id, reason)
        case .partSaved: libraryAnswered()
        case .saved(let id, let photo): saved(id, photo)
        case .saveFailed(let id, let reason): saveFailed(id, reason)
        case .endRecording(let id): if recording?.id == id { stopRecording() }
        case .recordingEnded(let id, let result): recordingEnded(id, result)
        case .timelapse(let news): timelapse(news)
        case .occupied(let reason): occupation = reason
        case .motion: _ = wake()
        case .soundLevel(let level): soundLevel = level.map(Scene.Recording.step)
        case .recordingRoom(let seconds): recording?.room = seconds
        case .problem(let problem): appeared(problem)
        case .problemGone(let code): gone(code)
        case .stopping:
            isStopping = true
            cancelShots(where: \.isCountingDown)
            stopRecordingForGood()
        }
        // A press may be due at once.
        advance()
        report()
        defer { commands = [] }
        return KioskOutcome(commands: commands, verdict: verdict)
    }

    /// When to send the next `.tick`; later than the last event. `nil` while nothing is due.
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

    /// Where the kiosk is.
    public var state: KioskState {
        if isAsleep { return .asleep }
        if fault != nil { return review == nil ? .fault : .review }
        if countdown != nil { return .countdown }
        if review != nil { return .review }
        if !started { return .starting }
        if recording?.isRunning == true { return .recording }
        return occupation != nil || shots.contains { $0.isCapturing } ? .capturing : .live
    }

    /// The guest who is there, if any.
    public var guestSession: SessionNumber? { session.current }

    /// Whether nothing is taken or recorded that has not come to its end.
    public var isIdle: Bool { shots.isEmpty && recording == nil }

    /// Accepted presses that are neither saved nor failed, a running countdown's included.
    public var photosInFlight: Int { shots.count }

    /// Whether a photo press would be accepted now.
    public var isReady: Bool {
        started && !isStopping && fault == nil && countdown == nil && occupation == nil
            && shots.count < configuration.maximumInFlight
    }

    /// Whether the ready lamp invites to press.
    private var invites: Bool { isReady && oddity == nil }

    var sessionIdle: Int64 { nanoseconds(configuration.sessionIdleSeconds) }
    /// A photo in the flash's light is ordered when that is lit.
    var captureLead: Int64 {
        let lead = nanoseconds(milliseconds: configuration.captureLeadMilliseconds)
        return configuration.hasFlash ? min(lead, flashLead) : lead
    }
    var flashLead: Int64 { nanoseconds(milliseconds: configuration.flashLeadMilliseconds) }
    /// More than a frame at 25 frames a second.
    var flashTail: Int64 { nanoseconds(milliseconds: 50) }
    var flashMaximum: Int64 { nanoseconds(milliseconds: configuration.flashMaximumMilliseconds) }

    /// The problem that the screen shows: the one that takes most away, the oldest of these.
    var fault: KioskProblem? {
        let standing = problems.filter { [.noPreview, .noPhotos].contains($0.effect) }
        return standing.min { $0.effect.rawValue < $1.effect.rawValue }
    }

    /// The oldest problem that keeps nobody from taking photos and is said all the same.
    var oddity: KioskProblem? { problems.first { $0.effect == .noticed } }

    /// Does what has become due.
    private mutating func advance() {
        if !started && now >= startLimit { started = true }
        advanceShots()
        advanceRecording()
        if let end = session.deadline(idle: sessionIdle), now >= end { _ = session.end() }
        if let sleepTime, now >= sleepTime { isAsleep = true }
        if let review, now >= review.until { self.review = nil }
        if let notice, now >= notice.until { self.notice = nil }
        flash.endShots(at: now)
        if let since = flash.since, now >= since + flashMaximum { flash.turnOff() }
    }

    /// When the screen is to be switched off; not as long as somebody may be waiting for something on it.
    private var sleepTime: Int64? {
        guard let limit = configuration.screenOffSeconds, !isAsleep, shots.isEmpty, review == nil,
            recording == nil
        else { return nil }
        return lastTouch + nanoseconds(limit)
    }

    /// Somebody is there.
    ///
    /// - Returns: whether the screen was off.
    private mutating func wake() -> Bool {
        lastTouch = now
        defer { isAsleep = false }
        return isAsleep
    }

    /// Tells the owner what has changed for lamp, flash and screen.
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

/// The photo on the screen.
struct TimedReview: Sendable {
    var photo: SavedPhoto
    var until: Int64
}

/// A message on the screen.
struct TimedNotice: Sendable {
    var notice: Scene.Notice
    var until: Int64
}

/// The light, and for which shots it is on.
struct Flash: Sendable {
    /// The moment that the longest time counts from: the last shot's lead, which may be to come.
    private(set) var since: Int64?
    /// With the time from which each needs it no more; `nil` while that is not known.
    private var shots: [ShotIdentifier: Int64?] = [:]

    var isOn: Bool { since != nil }
    var nextEnd: Int64? { shots.values.compactMap(\.self).min() }

    /// - Parameter lead: when the shot would need it at the latest.
    mutating func turnOn(for shot: ShotIdentifier, from lead: Int64) {
        shots.updateValue(nil, forKey: shot)
        since = max(since ?? lead, lead)
    }

    /// The shot needs it until `time`.
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
