// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
public import Media
internal import Synchronization

/// The timeline of a player, and the observers of its time. Any thread.
public final class PlaybackClock: Sendable {
    /// Ends an observation when it is released: no call begins after that.
    public final class Token: Sendable {
        private let number: Int
        private let end: @Sendable (Int) -> Void

        fileprivate init(_ number: Int, _ end: @escaping @Sendable (Int) -> Void) {
            (self.number, self.end) = (number, end)
        }

        deinit { end(number) }
    }

    fileprivate struct Observer: Sendable {
        let observation: TimeObservation
        let body: @Sendable (MediaTime) -> Void
        /// Up to here the observer has been told.
        var told: MediaTime
        /// Whether the observer is to be told of a jump, a start or a stop.
        var isDue = false

        var isPeriodic: Bool { if case .periodic = observation { true } else { false } }
    }

    fileprivate struct State: Sendable {
        var timebase: Timebase
        /// The direction of the timeline, also while it stands still.
        var isForward = true
        var observers: [Int: Observer] = [:]
        var number = 0
        var isEnded = false
        /// Answered by the next change.
        var changed = PendingAnswer<Void>()
    }

    /// The state, which the thread of the observers shares.
    private let state: SharedState
    private let host: @Sendable () -> Int64

    fileprivate final class SharedState: Sendable {
        let lock: Mutex<State>
        init(_ state: State) { lock = Mutex(state) }
    }

    /// Creates a timeline that stands at zero.
    /// - Parameter given: Returns the present, in nanoseconds of a clock that never goes back;
    ///   `nil` for `CLOCK_MONOTONIC`.
    public init(host given: (@Sendable () -> Int64)? = nil) {
        let host = given ?? { Clock.monotonic }
        self.host = host
        state = SharedState(State(timebase: Timebase(at: host())))
        let teller = Teller(state, host)
        Task { await teller.run() }
    }

    deinit {
        let changed = state.lock.withLock { state in
            state.isEnded = true
            return state.changed
        }
        changed.give(())
    }

    /// The present time.
    public var time: MediaTime { state.lock.withLock { $0.timebase.time(at: host()) } }

    /// Seconds of the timeline per second.
    public var rate: Double { state.lock.withLock { $0.timebase.rate } }

    /// Changes the rate. Periodic observers are told of a start and of a stop.
    public func setRate(_ rate: Double) {
        change { state, now in
            state.setRate(rate, at: now)
        }
    }

    /// Jumps to a time. Periodic observers are told. Boundaries in between count as not reached.
    public func setTime(_ time: MediaTime) {
        change { state, now in
            state.timebase.setTime(time, at: now)
            for number in state.observers.keys { state.observers[number]?.told = time }
            state.tellPeriodic()
        }
    }

    /// Jumps to a time, which belongs to an instant of the host, and goes on at a rate.
    func setTime(_ time: MediaTime, rate: Double, at instant: Int64) {
        change { state, _ in
            state.timebase.setTime(time, at: instant)
            state.setRate(rate, at: instant)
            for number in state.observers.keys { state.observers[number]?.told = time }
            state.tellPeriodic()
        }
    }

    /// Stops where another clock has stopped, which is about here. No observer is told of that as a
    /// jump.
    func stop(at time: MediaTime) {
        change { state, now in
            state.timebase.setTime(time, at: now)
            state.setRate(0, at: now)
        }
    }

    /// Makes the timeline follow another clock, whose time belongs to an instant of the host: a
    /// part of a small difference is made up for at once. No observer is told of that as a jump.
    func follow(_ time: MediaTime, at instant: Int64) {
        state.lock.withLock { state in
            let error = time - state.timebase.time(at: instant)
            let isSmall = error < Self.largeError && -error < Self.largeError
            let correction = isSmall ? error.multiplied(by: Self.gain) : error
            state.timebase.setTime(
                state.timebase.time(at: instant)
                    + correction.converted(toTimescale: 1_000_000_000), at: instant)
        }
    }

    /// A larger error is made up for at once.
    private static let largeError = MediaTime(value: 1, timescale: 20)
    /// The part of an error that one call makes up for. Positions of sound devices jitter.
    private static let gain = 0.1

    /// The relation to the host's clock.
    var timebase: Timebase { state.lock.withLock { $0.timebase } }

    private func change(_ body: (inout State, Int64) -> Void) {
        let now = host()
        let changed = state.lock.withLock { state in
            body(&state, now)
            return state.changed
        }
        changed.give(())
    }

    /// Calls `body` at each multiple of an interval, and after each jump, start and stop: one call
    /// at a time, on one thread for all observers. A call that comes late stands for those that it
    /// has missed.
    /// - Parameter interval: Above zero.
    public func addPeriodicObserver(
        every interval: MediaTime, _ body: @escaping @Sendable (MediaTime) -> Void
    ) -> Token {
        precondition(interval.isNumeric && interval > .zero, "an interval of \(interval)")
        return add(.periodic(interval), body)
    }

    /// Calls `body` when one of these times is reached without a jump, in either direction; see
    /// ``addPeriodicObserver(every:_:)``.
    public func addBoundaryObserver(
        at times: [MediaTime], _ body: @escaping @Sendable (MediaTime) -> Void
    ) -> Token {
        add(.boundaries(times.filter(\.isNumeric).sorted()), body)
    }

    private func add(
        _ observation: TimeObservation, _ body: @escaping @Sendable (MediaTime) -> Void
    ) -> Token {
        var number = 0
        change { state, now in
            state.number += 1
            number = state.number
            state.observers[number] = Observer(
                observation: observation, body: body, told: state.timebase.time(at: now))
        }
        return Token(number) { [state] number in
            state.lock.withLock { _ = $0.observers.removeValue(forKey: number) }
        }
    }
}

extension PlaybackClock.State {
    fileprivate mutating func setRate(_ rate: Double, at now: Int64) {
        let isStartOrStop = (timebase.rate == 0) != (rate == 0)
        timebase.setRate(rate, at: now)
        if rate != 0 { isForward = rate > 0 }
        if isStartOrStop { tellPeriodic() }
    }

    fileprivate mutating func tellPeriodic() {
        for number in observers.keys where observers[number]?.isPeriodic == true {
            observers[number]?.isDue = true
        }
    }

    /// Returns the numbers of the observers to tell now, and marks them as told.
    fileprivate mutating func takeDue(at now: Int64) -> [Int] {
        let time = timebase.time(at: now)
        var due: [Int] = []
        for number in observers.keys.sorted() {
            guard var observer = observers[number] else { continue }
            // A timeline that follows another clock may go back a little.
            let hasGoneBack = isForward ? time < observer.told : time > observer.told
            let isCrossed = observer.observation.isCrossed(from: observer.told, to: time)
            if observer.isDue || isCrossed && !hasGoneBack { due.append(number) }
            observer.isDue = false
            if !hasGoneBack { observer.told = time }
            observers[number] = observer
        }
        return due
    }

    /// Returns when the next observer is to be told; `nil` if none is.
    fileprivate func nextInstant() -> Int64? {
        observers.values.compactMap { observer in
            observer.observation.next(after: observer.told, isForward: isForward)
                .flatMap { timebase.host(reaching: $0) }
        }.min()
    }
}

/// Tells observers, one at a time.
private actor Teller {
    private let executor = ThreadExecutor("playback-times")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    private let state: PlaybackClock.SharedState
    private let host: @Sendable () -> Int64

    init(_ state: PlaybackClock.SharedState, _ host: @escaping @Sendable () -> Int64) {
        (self.state, self.host) = (state, host)
    }

    /// The longest sleep; a change of the timeline ends it.
    private static let patience = Duration.seconds(3600)

    func run() async {
        while true {
            let changed = PendingAnswer<Void>()
            let isEnded = state.lock.withLock { state in
                state.changed = changed
                return state.isEnded
            }
            if isEnded { return }
            let now = host()
            for number in state.lock.withLock({ $0.takeDue(at: now) }) {
                // An observer may have gone meanwhile, and the time has passed on.
                let call = state.lock.withLock { state in
                    state.observers[number].map { ($0.body, state.timebase.time(at: host())) }
                }
                if let (body, time) = call { body(time) }
            }
            let next = state.lock.withLock { $0.nextInstant() }
            let wait = next.map { Duration.nanoseconds(max($0 - host(), 0)) }
            _ = await changed.value(within: min(wait ?? Self.patience, Self.patience))
        }
    }
}
