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
    private var waiters: [ShotIdentifier: [CheckedContinuation<ShotResult, Never>]] = [:]
    /// Who waits until nothing is under way.
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []
    /// Results that came before anybody asked, the newest few.
    private var results: [(shot: ShotIdentifier, result: ShotResult)] = []
    private var movieWaiters: [RecordingIdentifier: [CheckedContinuation<RecordingResult, Never>]] =
        [:]
    private var lastMovie: (recording: RecordingIdentifier, result: RecordingResult)?

    package init(_ configuration: KioskConfiguration, effect: @escaping Effect) {
        machine = KioskMachine(configuration, at: Clock.monotonic)
        self.effect = effect
    }

    var state: KioskState { machine.state }
    /// The guest who is there, if any.
    var guestSession: SessionNumber? { machine.guestSession }
    package var counts: KioskCounts { machine.counts }
    /// Why nothing can be taken now; `nil` when something can.
    var refusalOfMovies: String? { machine.obstacle }
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
            case .finished(let shot, let result): finish(shot, result)
            case .recorded(let recording, let result): finish(recording, result)
            default: effect(command)
            }
        }
        if machine.isIdle { endIdleWait() }
        schedule()
        return outcome.verdict
    }

    /// How an accepted press ended.
    package func result(of shot: ShotIdentifier) async -> ShotResult {
        if let known = results.last(where: { $0.shot == shot }) { return known.result }
        if isStopped { return Self.stopped }
        return await withCheckedContinuation { waiters[shot, default: []].append($0) }
    }

    /// How a recording ended.
    package func result(of recording: RecordingIdentifier) async -> RecordingResult {
        if let lastMovie, lastMovie.recording == recording { return lastMovie.result }
        if isStopped { return Self.stoppedMovie }
        return await withCheckedContinuation {
            movieWaiters[recording, default: []].append($0)
        }
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
        for waiter in waiters.values.joined() { waiter.resume(returning: Self.stopped) }
        waiters = [:]
        for waiter in movieWaiters.values.joined() { waiter.resume(returning: Self.stoppedMovie) }
        movieWaiters = [:]
        endIdleWait()
    }

    private static let stopped = ShotResult.failed(reason: "the appliance is stopping")
    private static let stoppedMovie = RecordingResult.failed(reason: "the appliance is stopping")

    private func endIdleWait() {
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters = []
    }

    private func finish(_ shot: ShotIdentifier, _ result: ShotResult) {
        results.append((shot, result))
        if results.count > 64 { results.removeFirst() }
        for waiter in waiters.removeValue(forKey: shot) ?? [] { waiter.resume(returning: result) }
    }

    private func finish(_ recording: RecordingIdentifier, _ result: RecordingResult) {
        lastMovie = (recording, result)
        for waiter in movieWaiters.removeValue(forKey: recording) ?? [] {
            waiter.resume(returning: result)
        }
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
