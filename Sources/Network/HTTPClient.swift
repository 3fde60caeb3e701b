// SPDX-License-Identifier: GPL-3.0-or-later

internal import CCurl
internal import LinuxIO
internal import Synchronization

/// Sends requests with the distribution's libcurl: its TLS and certificates, HTTP/2, redirects. One
/// thread serves all transfers; it ends with the client. Any thread.
package final class HTTPClient: Sendable {
    package struct Configuration: Equatable, Sendable {
        /// The most transfers at a time; others wait.
        package var transfers = 4
        /// The proxy's URL; `nil` for the one of the environment (`https_proxy`, `no_proxy`).
        package var proxy: String?
        /// A PEM file of the only certificates to trust; `nil` for the system's.
        package var certificates: String?
        /// A transfer ends after this time without a connection, or with less than
        /// ``leastBytesPerSecond``.
        package var stallSeconds = 30
        package var leastBytesPerSecond = 1000
        package var userAgent = "vitrine"

        package init() {}
    }

    package let configuration: Configuration
    private let transfers: TransferQueue

    package init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        transfers = TransferQueue(configuration)
    }

    deinit { transfers.end() }

    private static let loading = Mutex(())

    /// Opens libcurl unless it is open; returns why that fails.
    static func loadingFailure() -> String? {
        loading.withLock { _ in unsafe ccurl_load().map { unsafe String(cString: $0) } }
    }

    /// Sends a request and passes the answer to `receiver`. Returns the answer's head when the body
    /// is complete: its length is the announced one.
    package func send(
        _ request: HTTPRequest, to receiver: any HTTPReceiver
    ) async throws(HTTPError) -> HTTPResponse {
        let transfer = Transfer(request, receiver)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.whenEnded { continuation.resume(returning: $0) }
                transfers.add(transfer)
            }
        } onCancel: {
            transfers.cancel(transfer)
        }
        return try result.get()
    }
}

/// The transfers that wait and run, and the thread that serves them.
private final class TransferQueue: Sendable {
    private struct State {
        var waiting: [Transfer] = []
        var isRunning = false
        var isEnding = false
        /// The thread's transfers, once it has begun.
        var set: TransferSet?
    }
    private let state = Mutex(State())
    private let configuration: HTTPClient.Configuration

    init(_ configuration: HTTPClient.Configuration) { self.configuration = configuration }

    func add(_ transfer: Transfer) {
        let mustStart = state.withLock { state in
            state.waiting.append(transfer)
            state.set?.wake()
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { _ = NamedThread("http") { [self] in run() } }
    }

    func cancel(_ transfer: Transfer) {
        transfer.cancel()
        state.withLock { $0.set?.wake() }
    }

    func end() {
        state.withLock { state in
            state.isEnding = true
            state.set?.wake()
        }
    }

    /// Serves transfers until the end.
    private func run() {
        let refusal = HTTPClient.loadingFailure()
        guard refusal == nil, let set = TransferSet() else {
            let waiting = state.withLock { state in
                // The next request tries again.
                state.isRunning = false
                defer { state.waiting = [] }
                return state.waiting
            }
            for one in waiting { one.fail(.unavailable, refusal ?? "no memory for transfers") }
            return
        }
        state.withLock { $0.set = set }
        var running: [(transfer: Transfer, handle: TransferSet.Handle)] = []
        while let new = next(configuration.transfers - running.count) {
            for transfer in new {
                if let handle = set.begin(transfer, configuration) {
                    running.append((transfer, handle))
                } else {
                    transfer.fail(.unavailable, "no memory for a transfer")
                }
            }
            running.removeAll { transfer, handle in
                guard transfer.isCancelled else { return false }
                set.end(handle)
                transfer.fail(.cancelled, "cancelled")
                return true
            }
            set.move()
            var hasEnded = false
            while let end = set.nextEnd() {
                hasEnded = true
                let transfer = running.first { $0.handle == end.handle }?.transfer
                running.removeAll { $0.handle == end.handle }
                set.end(end.handle)
                transfer?.end(end)
            }
            // An end makes room for another transfer.
            if !hasEnded { set.wait() }
        }
        for one in running { set.end(one.handle) }
    }

    /// Returns up to `count` waiting transfers, in their order; `nil` at the end.
    private func next(_ count: Int) -> [Transfer]? {
        state.withLock { state in
            if state.isEnding { return nil }
            let new = Array(state.waiting.prefix(max(0, count)))
            state.waiting.removeFirst(new.count)
            return new
        }
    }
}
