// SPDX-License-Identifier: GPL-3.0-or-later

internal import Dispatch
internal import Synchronization

/// Carries the answers of one request's handler to the thread that writes to its client. Putting an
/// answer never waits for the client.
final class RequestMailbox: Sendable {
    typealias Outcome = Result<any Encodable & Sendable, any Error>

    enum Message {
        case progress(JSONValue)
        case outcome(Outcome)
        /// The connection must end.
        case end
    }

    private struct State {
        var progress: JSONValue?
        var outcome: Outcome?
        var mustEnd = false
    }
    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)

    func put(progress: JSONValue) {
        state.withLock { $0.progress = progress }
        arrived.signal()
    }

    func put(_ outcome: Outcome) {
        state.withLock { $0.outcome = outcome }
        arrived.signal()
    }

    func end() {
        state.withLock { $0.mustEnd = true }
        arrived.signal()
    }

    /// Returns the next message; blocks the thread until there is one.
    func take() -> Message {
        while true {
            arrived.wait()
            let message: Message? = state.withLock { state in
                if state.mustEnd { return .end }
                if let progress = state.progress.take() { return .progress(progress) }
                return state.outcome.take().map { .outcome($0) }
            }
            if let message { return message }
        }
    }
}
