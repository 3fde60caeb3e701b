// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// Runs the kiosk's state machine: feeds it events and time, and passes its commands on.
package actor KioskRunner {
    /// Carries out a command other than `finished` and `recorded`. It must not block.
    package typealias Effect = @Sendable (KioskCommand) -> Void

    private var machine: KioskMachine
    private var effect: Effect = { _ in }
    private var timer: Task<Void, Never>?
    private var isStopped = false
    private var shots = Outcomes<ShotIdentifier, ShotResult>(kept: 64)
    private var recordings = Outcomes<RecordingIdentifier, RecordingResult>(kept: 1)
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []

    package init(_ configuration: KioskConfiguration) {
        machine = KioskMachine(configuration, at: Clock.monotonic)
    }

    /// Sets who carries out the commands. Call it before the first event.
    package func connect(_ effect: @escaping Effect) { self.effect = effect }

    package var state: KioskState { machine.state }
    package var guestSession: SessionNumber? { machine.guestSession }
    package var counts: KioskCounts { machine.counts }
    package var refusalOfMovies: String? { machine.obstacleToMovies }
    package var refusalOfAnotherCamera: String? { machine.obstacleToAnotherCamera }

    /// Sets the frame size in bytes, which limits the photos in flight.
    package func setFrameSize(bytes: Int) {
        machine.configuration.maximumInFlight = KioskConfiguration.photosInFlight(frameBytes: bytes)
    }

    /// Returns the verdict on a press; `nil` for other events, and for all events after ``stop()``.
    @discardableResult
    package func handle(_ event: KioskEvent) -> PressVerdict? {
        if isStopped { return nil }
        let outcome = machine.handle(event, at: Clock.monotonic)
        for command in outcome.commands {
            switch command {
            case .finished(let shot, let result): shots.settle(shot, result)
            case .recorded(let recording, let result): recordings.settle(recording, result)
            default: effect(command)
            }
        }
        if machine.isIdle { endIdleWait() }
        schedule()
        return outcome.verdict
    }

    /// Refuses presses, and tells guests the `reason`, until ``KioskEvent/occupied(_:)`` ends that.
    /// Returns why presses cannot be refused now, in which case nothing changes; `nil` on success.
    package func occupy(_ reason: String) -> String? {
        if let refusal = machine.obstacleToAnotherCamera { return refusal }
        handle(.occupied(reason))
        return nil
    }

    package func result(of shot: ShotIdentifier) async -> ShotResult {
        if let known = shots[shot] { return known }
        if isStopped { return Self.stopped }
        return await withCheckedContinuation { shots.add($0, for: shot) }
    }

    package func result(of recording: RecordingIdentifier) async -> RecordingResult {
        if let known = recordings[recording] { return known }
        if isStopped { return Self.stoppedMovie }
        return await withCheckedContinuation { recordings.add($0, for: recording) }
    }

    /// Returns once every accepted press has ended, as a photo, a movie or a failure. A camera or
    /// library that does not answer ends in failure after a time.
    package func becameIdle() async {
        if isStopped || machine.isIdle { return }
        await withCheckedContinuation { idleWaiters.append($0) }
    }

    /// Stops the clock; later events are ignored.
    package func stop() {
        isStopped = true
        timer?.cancel()
        shots.end(Self.stopped)
        recordings.end(Self.stoppedMovie)
        endIdleWait()
    }

    private static let stopped = ShotResult.failed(reason: "the appliance is stopping")
    private static let stoppedMovie = RecordingResult.failed(reason: "the appliance is stopping")

    private func endIdleWait() {
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters = []
    }

    private func schedule() {
        timer?.cancel()
        guard let deadline = machine.nextDeadline else { return }
        timer = Task { [weak self] in
            let wait = max(0, deadline - Clock.monotonic)
            try? await Task.sleep(for: .nanoseconds(wait), tolerance: .zero)
            if !Task.isCancelled { await self?.handle(.tick) }
        }
    }
}

/// How presses or recordings ended, and the callers that wait for that.
private struct Outcomes<Key: Hashable, Outcome: Sendable> {
    /// The newest outcomes, for callers that ask late.
    private var known: [(key: Key, outcome: Outcome)] = []
    private let most: Int
    private var waiters: [Key: [CheckedContinuation<Outcome, Never>]] = [:]

    init(kept most: Int) { self.most = most }

    subscript(key: Key) -> Outcome? { known.last { $0.key == key }?.outcome }

    mutating func add(_ waiter: CheckedContinuation<Outcome, Never>, for key: Key) {
        waiters[key, default: []].append(waiter)
    }

    mutating func settle(_ key: Key, _ outcome: Outcome) {
        known.append((key, outcome))
        if known.count > most { known.removeFirst() }
        for waiter in waiters.removeValue(forKey: key) ?? [] { waiter.resume(returning: outcome) }
    }

    mutating func end(_ outcome: Outcome) {
        for waiter in waiters.values.joined() { waiter.resume(returning: outcome) }
        waiters = [:]
    }
}
