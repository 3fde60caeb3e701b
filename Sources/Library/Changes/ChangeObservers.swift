// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// The observers of a library's changes. They are told that something changed; the history says
/// what. Changes within one ``interval`` are reported together, so a busy writer floods nobody.
final class ChangeObservers: Sendable {
    static let interval = Duration.milliseconds(250)

    private struct Observer {
        let origins: Set<ChangeOrigin>?
        let stream: AsyncStream<ChangeToken>.Continuation
    }

    private struct State {
        var observers: [Int: Observer] = [:]
        var lastObserver = 0
        /// The newest moment that is not reported yet, and the origins of the changes.
        var pending: (token: ChangeToken, origins: Set<ChangeOrigin>)?
        /// Whether `tell()` is running or due.
        var isTelling = false
        var isFinished = false
        /// The newest moment that was posted.
        var last = ChangeToken(0)
    }
    private let state = Mutex(State())

    /// Returns a stream of the moments after changes. A slow observer gets only the newest, which
    /// covers all earlier ones.
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

    /// Sets the moment from which changes are reported.
    func begin(at token: ChangeToken) { state.withLock { $0.last = token } }

    /// Reports a committed transaction, unless nothing has changed in it.
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

    /// Sends the pending moment, and repeats that after each interval until none is pending.
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

    func finish() {
        let streams = state.withLock { state in
            state.isFinished = true
            defer { state.observers = [:] }
            return state.observers.values.map(\.stream)
        }
        for stream in streams { stream.finish() }
    }
}
