// SPDX-License-Identifier: GPL-3.0-or-later

internal import Dispatch
internal import Synchronization

/// An answer that may never come. One caller waits for it and gives up after a limit; whoever
/// answers too late is told so.
public final class PendingAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open(waiter: (@Sendable (Value?) -> Void)?)
        case answered(Value)
        case givenUp
    }
    private let state = Mutex(State.open(waiter: nil))

    /// Creates an answer that has not come.
    public init() {}

    /// Whether the caller has given up waiting.
    public var isGivenUp: Bool { state.withLock { if case .givenUp = $0 { true } else { false } } }

    /// Gives the answer; returns `false` if the caller has given up. Any thread; only the first
    /// answer counts.
    @discardableResult
    public func give(_ value: Value) -> Bool {
        end(with: .answered(value))
        return !isGivenUp
    }

    /// Waits without a thread; returns `nil` after `limit`, or if the task was cancelled.
    public func value(within limit: Duration) async -> Value? {
        // A cancelled Task.sleep keeps its memory until its time has come, and limits are long.
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + limit / .seconds(1))
        timer.setEventHandler { [self] in end(with: .givenUp) }
        timer.activate()
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait { continuation.resume(returning: $0) }
            }
        } onCancel: {
            end(with: .givenUp)
        }
    }

    /// Blocks the thread until the answer comes; returns `nil` after `limit`.
    public func blockingValue(within limit: Duration) -> Value? {
        let ready = DispatchSemaphore(value: 0)
        wait { _ in ready.signal() }
        if ready.wait(timeout: .now() + limit / .seconds(1)) == .timedOut { end(with: .givenUp) }
        return state.withLock { if case .answered(let value) = $0 { value } else { nil } }
    }

    /// Calls `waiter` with the answer, or with `nil` once nobody waits any more.
    private func wait(_ waiter: @escaping @Sendable (Value?) -> Void) {
        let known: Value?? = state.withLock { state in
            switch state {
            case .open:
                state = .open(waiter: waiter)
                return nil
            case .answered(let value): return .some(value)
            case .givenUp: return .some(nil)
            }
        }
        if let known { waiter(known) }
    }

    private func end(with outcome: State) {
        let waiter = state.withLock { state -> (@Sendable (Value?) -> Void)? in
            guard case .open(let waiter) = state else { return nil }
            state = outcome
            return waiter
        }
        if case .answered(let value) = outcome { waiter?(value) } else { waiter?(nil) }
    }
}

/// Does work that may never end, and waits for its result no longer than `limit`. The work is not
/// cancelled; a later result is ignored. Returns `nil` after the limit, or if the caller's task was
/// cancelled.
@discardableResult
public func firstAnswer<Answer: Sendable>(
    within limit: Duration, of work: sending @escaping @isolated(any) () async -> Answer
) async -> Answer? {
    let answer = PendingAnswer<Answer>()
    Task { answer.give(await work()) }
    return await answer.value(within: limit)
}
