// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// A request on its way, and what has come of its answer.
final class Transfer: Sendable {
    private struct State {
        var response = HTTPResponse()
        var hasBegun = false
        var isCancelled = false
        var refusal: (any Error)?
        var whenEnded: (@Sendable (Result<HTTPResponse, HTTPError>) -> Void)?
    }
    let request: HTTPRequest
    private let receiver: any HTTPReceiver
    private let state = Mutex(State())

    init(_ request: HTTPRequest, _ receiver: any HTTPReceiver) {
        self.request = request
        self.receiver = receiver
    }

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    func cancel() { state.withLock { $0.isCancelled = true } }

    func whenEnded(_ body: @escaping @Sendable (Result<HTTPResponse, HTTPError>) -> Void) {
        state.withLock { $0.whenEnded = body }
    }

    /// Gives the result to the caller, once.
    func end(_ result: Result<HTTPResponse, HTTPError>) {
        let body = state.withLock { state in
            defer { state.whenEnded = nil }
            return state.whenEnded
        }
        body?(result)
    }

    func fail(_ code: HTTPError.Code, _ reason: String) {
        end(.failure(HTTPError(code, "\(request.url): \(reason)")))
    }

    /// Gives the result of a transfer that has ended by itself.
    func end(_ end: TransferSet.End) {
        let (response, refusal) = state.withLock { ($0.response, $0.refusal) }
        guard let failure = end.failure else { return self.end(.success(response)) }
        let isElsewhere = !end.url.isEmpty && end.url != request.url
        let place = isElsewhere ? "\(request.url), redirected to \(end.url)" : request.url
        self.end(
            .failure(
                HTTPError(
                    failure, "\(place): \(refusal.map { "\($0)" } ?? end.reason)",
                    underlying: refusal)))
    }

    func takeHeader(_ line: String) { state.withLock { $0.response.take(line) } }

    /// Passes bytes on; returns whether the receiver accepted them.
    /// - Parameter url: The URL after all redirects.
    func takeBody(_ bytes: [UInt8], from url: @autoclosure () -> String) -> Bool {
        let head: HTTPResponse? = state.withLock { state in
            if state.hasBegun { return nil }
            state.hasBegun = true
            state.response.url = url()
            return state.response
        }
        do {
            if let head { try receiver.begin(head) }
            try receiver.take(bytes)
            return true
        } catch {
            state.withLock { $0.refusal = error }
            return false
        }
    }
}
