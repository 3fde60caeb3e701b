// SPDX-License-Identifier: GPL-3.0-or-later

package import Kiosk
internal import LinuxIO

/// Gives the kiosk's state machine its time and carries out its commands.
package actor KioskRunner {
    /// Carries out a command other than `finished`.
    package typealias Effect = @Sendable (KioskCommand) -> Void

    private var machine: KioskMachine
    private let effect: Effect
    private var timer: Task<Void, Never>?
    private var isStopped = false
    private var shots = Outcomes<ShotIdentifier, ShotResult>(kept: 64)
    private var recordings = Outcomes<RecordingIdentifier, RecordingResult>(kept: 1)
    /// Who waits until nothing is under way.
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []

    package init(_ configuration: KioskConfiguration, effect: @escaping Effect) {
        machine = KioskMachine(configuration, at: Clock.monotonic)
        self.effect = effect
    }

    var state: KioskState { machine.state }
    /// The guest who is there, if any.
    var guestSession: SessionNumber? { machine.guestSession }
    package var counts: KioskCounts { machine.counts }
    /// Why no movie can be made now; `nil` when one can.
    var refusalOfMovies: String? { machine.obstacleToMovies }
    /// Why nobody can go over to another camera now.
    var refusalOfAnotherCamera: String? { machine.obstacleToAnotherCamera }

    /// Of a camera with frames of so many bytes, from now on.
    func setFrameSize(bytes: Int) {
        machine.configuration.maximumInFlight = KioskConfiguration.photosInFlight(frameBytes: bytes)
    }

    /// Answers what a press came to; `nil` for other events, and for all of them after ``stop()``.
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

    /// Keeps guests from taking anything, until ``KioskEvent/occupied(_:)`` takes that back.
    ///
    /// - Parameter reason: what presses are told, in plain words.
    /// - Returns: why that cannot be now; nothing is changed then.
    func occupy(_ reason: String) -> String? {
        if let refusal = machine.obstacleToAnotherCamera { return refusal }
        handle(.occupied(reason))
        return nil
    }

    /// How an accepted press ended.
    package func result(of shot: ShotIdentifier) async -> ShotResult {
        if let known = shots[shot] { return known }
        if isStopped { return Self.stopped }
        return await withCheckedContinuation { shots.add($0, for: shot) }
    }

    /// How a recording ended.
    package func result(of recording: RecordingIdentifier) async -> RecordingResult {
        if let known = recordings[recording] { return known }
        if isStopped { return Self.stoppedMovie }
        return await withCheckedContinuation { recordings.add($0, for: recording) }
    }

    /// Returns when every accepted press is a photo or a movie, or has come to none: what camera or library do not
    /// answer is given up in time.
    package func becameIdle() async {
        if isStopped || machine.isIdle { return }
        await withCheckedContinuation { idleWaiters.append($0) }
    }

    /// Stops the clock; nothing moves any more.
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

/// How things ended, and who waits to hear of it.
private struct Outcomes<Key: Hashable, Outcome: Sendable> {
    /// Those that came before anybody asked, the newest few.
    private var known: [(key: Key, outcome: Outcome)] = []
    private let most: Int
    private var waiters: [Key: [CheckedContinuation<Outcome, Never>]] = [:]

    /// - Parameter most: outcomes that are remembered.
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

    /// Nothing more is settled.
    mutating func end(_ outcome: Outcome) {
        for waiter in waiters.values.joined() { waiter.resume(returning: outcome) }
        waiters = [:]
    }
}
