// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Media
import Testing

let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000

/// Drives a machine as its owner would, and checks the invariants after each event.
struct Driver {
    var machine: KioskMachine
    private(set) var now: Int64
    private(set) var scene: Scene?
    private(set) var lamp: Bool?
    private(set) var recordingLamp = false
    /// The recordings that a press began, including those still counting down.
    private(set) var begun: Set<RecordingIdentifier> = []
    private(set) var recordings: [RecordingIdentifier: Int64] = [:]
    private(set) var stopped: Set<RecordingIdentifier> = []
    private(set) var recorded: [RecordingIdentifier: RecordingResult] = [:]
    private(set) var flash: Bool?
    private(set) var isScreenOn = true
    private(set) var captures: [ShotIdentifier: Int64] = [:]
    /// The kind of each capture.
    private(set) var kinds: [ShotIdentifier: ShotKind] = [:]
    private(set) var photos: [ShotIdentifier: CapturePhotoSettings] = [:]
    private(set) var cameraSwitches = 0
    private(set) var views: [ViewIdentifier: ViewSubject] = [:]
    private(set) var endedViews: Set<ViewIdentifier> = []
    /// The steps through the visit.
    private(set) var turns: [Int] = []
    /// The number of commands to start or stop a timelapse.
    private(set) var timelapses = 0
    private(set) var results: [ShotIdentifier: ShotResult] = [:]
    private(set) var abandoned: Set<ShotIdentifier> = []
    private(set) var accepted: [ShotIdentifier] = []
    /// The sessions of captures, recordings and timelapses, in the order of their commands.
    private(set) var sessions: [SessionNumber] = []
    private(set) var scenesShown = 0
    /// When a photo last began to need the flash.
    private var flashSince: Int64 = 0
    private var lastEvent = Int64.min

    init(
        at now: Int64 = 1000 * second, live: Bool = true,
        _ change: (inout KioskConfiguration) -> Void = { _ in }
    ) {
        var configuration = KioskConfiguration()
        configuration.countdownSeconds = 0
        configuration.reviewSeconds = 0
        change(&configuration)
        machine = KioskMachine(configuration, at: now)
        self.now = now
        send(.tick)
        if live { send(.previewStarted) }
    }

    @discardableResult
    mutating func send(_ event: KioskEvent) -> KioskOutcome {
        let outcome = machine.handle(event, at: now)
        let known = captures
        for command in outcome.commands { obey(command) }
        let lead = Int64(machine.configuration.flashLeadMilliseconds) * millisecond
        let isLit = captures.contains { id, moment in
            let start = moment - lead
            return start <= now && (start > lastEvent || known[id] == nil)
        }
        if isLit { flashSince = now }
        lastEvent = now
        if case .accepted(let id)? = outcome.verdict { accepted.append(id) }
        if case .recording(let id, begins: true)? = outcome.verdict { begun.insert(id) }
        check()
        return outcome
    }

    /// Presses now. The press's first edge was `age` nanoseconds ago.
    @discardableResult
    mutating func press(_ action: KioskAction = .photo, age: Int64 = 0) -> PressVerdict? {
        send(.press(KioskPress(action, timestamp: now - age))).verdict
    }

    /// Waits, ticking at each deadline.
    mutating func wait(_ duration: Int64) { wait(until: now + duration) }

    /// - Returns: the commands of the last tick.
    @discardableResult
    mutating func wait(until end: Int64) -> [KioskCommand] {
        var commands: [KioskCommand] = []
        while let deadline = machine.nextDeadline, deadline <= end {
            now = deadline
            commands = send(.tick).commands
        }
        now = max(now, end)
        return commands
    }

    /// Lets time pass with a single late tick, as a delayed owner would.
    mutating func jump(_ duration: Int64) {
        now += duration
        send(.tick)
    }

    mutating func save(_ id: ShotIdentifier) {
        send(.saved(id, SavedPhoto(assetID: "asset \(id.number)", fileName: "\(id.number).jpg")))
    }

    private mutating func obey(_ command: KioskCommand) {
        switch command {
        case .capture(let order):
            let id = order.shot
            sessions.append(order.session)
            photos[id] = order.photo
            kinds[id] = order.kind
            #expect(captures[id] == nil, "\(id) captured twice")
            #expect(results[id] == nil, "\(id) captured after its end")
            captures[id] = order.moment
        case .abandon(let id):
            #expect(captures[id] != nil && results[id] == nil, "\(id) was nobody's")
            #expect(abandoned.insert(id).inserted, "\(id) abandoned twice")
        case .finished(let id, let result):
            #expect(results[id] == nil, "\(id) finished twice")
            results[id] = result
        case .startRecording(let id, let moment, let session):
            sessions.append(session)
            #expect(!isRecording, "\(id) beside another")
            #expect(recordings.updateValue(moment, forKey: id) == nil, "\(id) begun twice")
        case .stopRecording(let id):
            #expect(recordings[id] != nil && recorded[id] == nil, "\(id) does not run")
            #expect(stopped.insert(id).inserted, "\(id) stopped twice")
        case .recorded(let id, let result):
            #expect(begun.contains(id), "\(id) never was")
            #expect(recorded.updateValue(result, forKey: id) == nil, "\(id) ended twice")
        case .view(let id, let subject):
            #expect(view == nil, "\(id) beside another")
            #expect(views.updateValue(subject, forKey: id) == nil, "\(id) begun twice")
        case .turnView(let id, by: let step):
            #expect(view == id, "\(id) is not shown")
            turns.append(step)
        case .endView(let id):
            #expect(views[id] != nil && endedViews.insert(id).inserted, "\(id) ended twice")
        case .switchCamera: cameraSwitches += 1
        case .toggleTimelapse(let session):
            sessions.append(session)
            timelapses += 1
        case .recordingLamp(let on):
            #expect(recordingLamp != on, "recording lamp switched twice")
            recordingLamp = on
        case .flash(let on):
            #expect(flash != on, "flash switched twice")
            flash = on
            let configuration = machine.configuration
            let lead = Int64(configuration.flashLeadMilliseconds) * millisecond
            let countdown = Int64(configuration.countdownSeconds) * second
            flashSince = configuration.flashLightsCountdown ? max(now, now + countdown - lead) : now
        case .screen(let on):
            #expect(isScreenOn != on, "screen switched twice")
            isScreenOn = on
        case .readyLamp(let on):
            #expect(lamp != on, "lamp switched twice")
            lamp = on
        case .show(let next):
            #expect(scene != next, "scene shown twice in a row")
            scene = next
            scenesShown += 1
        }
    }

    /// The view in progress.
    var view: ViewIdentifier? { views.keys.first { !endedViews.contains($0) } }

    private var isRecording: Bool { recordings.keys.contains { recorded[$0] == nil } }

    private func check() {
        if let deadline = machine.nextDeadline {
            #expect(deadline > now, "a deadline that has passed")
        }
        let counts = machine.counts
        #expect(
            counts.accepted
                == counts.saved + counts.failed + counts.cancelled + machine.photosInFlight)
        #expect(accepted.count <= counts.accepted)
        #expect(results.count == counts.saved + counts.failed + counts.cancelled)
        #expect(
            recorded.count == counts.moviesSaved + counts.moviesFailed + counts.moviesCancelled)
        #expect(machine.isRecording == isRecording)
        #expect((scene?.recording != nil) == recordingLamp)
        #expect(scene?.viewing == nil || view != nil)
        // The lamp is lit only while the kiosk is ready for a press.
        #expect(lamp != true || machine.isReady)
        if flash == true {
            let maximum = Int64(machine.configuration.flashMaximumMilliseconds) * millisecond
            #expect(now - flashSince < maximum, "the flash is on for too long")
        }
    }
}
