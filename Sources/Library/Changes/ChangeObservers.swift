// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Those who want to know that something changed; what exactly, the history says. Changes that come
/// closer to each other than ``interval`` are told of together, so that a busy writer storms nobody.
final class ChangeObservers: Sendable {
    static let interval = Duration.milliseconds(250)

    private struct Observer {
        let origins: Set<ChangeOrigin>?
        let stream: AsyncStream<ChangeToken>.Continuation
    }

    private struct State {
        var observers: [Int: Observer] = [:]
        var lastObserver = 0
        /// Changed since it was told last, and by whom.
        var pending: (token: ChangeToken, origins: Set<ChangeOrigin>)?
        /// Whether somebody will look at `pending`.
        var isTelling = false
        var isFinished = false
        /// The last moment that was posted.
        var last = ChangeToken(0)
    }
    private let state = Mutex(State())

    /// The newest moment after a change, from now on: what an observer does not keep up with is not kept,
    /// because the next says more.
    func tokens(from origins: Set<ChangeOrigin>?) -> AsyncStream<ChangeToken> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ChangeToken.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            if state.isFinished { return nil }
            state.lastObserver += 1
            state.observers[state.lastObserver] = Observer(origins: origins, stream: continuation)
            return state.lastObserver
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.observers.removeValue(forKey: number) }
        }
        return stream
    }

    /// What was before this moment is not told.
    func begin(at token: ChangeToken) { state.withLock { $0.last = token } }

    /// A transaction has been committed; where nothing has changed in it, nobody is told.
    func post(_ token: ChangeToken, from origin: ChangeOrigin) {
        let mustTell = state.withLock { state in
            if token <= state.last { return false }
            state.last = token
            state.pending = (token, (state.pending?.origins ?? []).union([origin]))
            defer { state.isTelling = true }
            return !state.isTelling
        }
        if mustTell { tell() }
    }

    /// Tells what is pending, and again after each interval in which something came.
    private func tell() {
        let (token, streams) = state.withLock { state in
            guard let (token, origins) = state.pending else {
                state.isTelling = false
                return (ChangeToken?.none, [AsyncStream<ChangeToken>.Continuation]())
            }
            state.pending = nil
            let observers = state.observers.values.filter {
                $0.origins.map { !$0.isDisjoint(with: origins) } ?? true
            }
            return (token, observers.map(\.stream))
        }
        guard let token else { return }
        for stream in streams { stream.yield(token) }
        Task { [weak self] in
            try? await Task.sleep(for: Self.interval)
            self?.tell()
        }
    }

    /// Ends all streams.
    func finish() {
        let streams = state.withLock { state in
            state.isFinished = true
            defer { state.observers = [:] }
            return state.observers.values.map(\.stream)
        }
        for stream in streams { stream.finish() }
    }
}
