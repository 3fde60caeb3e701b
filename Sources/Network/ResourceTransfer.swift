// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Synchronization

/// Passes a resource on to a socket. A connection that breaks off is continued where it was. The
/// server waits while the socket is full.
final class ResourceTransfer: HTTPReceiver {
    private struct State {
        var head: ResourceHead?
        /// The numbers of the next byte, and of the first one that was asked for last.
        var position: Int64
        var asked: Int64 = 0
        /// When the last byte came, in nanoseconds of `CLOCK_MONOTONIC`.
        var progressed = Clock.monotonic
    }
    private let request: ResourceRequest
    private let socket: PacketSocket
    private let state: Mutex<State>

    init(_ request: ResourceRequest, _ socket: PacketSocket) {
        (self.request, self.socket) = (request, socket)
        state = Mutex(State(position: request.offset))
    }

    /// How long it is asked again without an answer, in nanoseconds.
    private static let patience: Int64 = 30_000_000_000
    private static let pause = Duration.milliseconds(500)

    /// Passes everything on, or the reason why not. Returns early if the task is cancelled.
    func run(_ configuration: HTTPClient.Configuration) async {
        // Its thread waits for this socket only.
        let client = HTTPClient(configuration)
        while !Task.isCancelled {
            do {
                if try finish(await client.send(next(), to: self)) { return }
            } catch let error as HTTPError {
                if error.code == .cancelled { return }
                if let failure = failure(error) { return tell(failure) }
                try? await Task.sleep(for: Self.pause)
            } catch let failure as ResourceFailure {
                return tell(failure)
            } catch {
                // The other end has gone.
                return
            }
        }
    }

    private func tell(_ failure: ResourceFailure) {
        // Without the other end, nobody needs it.
        try? ResourcePacket.send(.failure, json: failure, to: socket)
    }

    private func next() -> HTTPRequest {
        let (head, position) = state.withLock { state in
            state.asked = state.position
            return (state.head, state.position)
        }
        var next = HTTPRequest(request.url)
        next.allowsEncoding = false
        // A stream without an end goes on where it is now.
        if head?.isLive == true { return next }
        next.headers.append(("Range", "bytes=\(position)-"))
        if let validator = head?.validator ?? request.validator {
            next.headers.append(("If-Range", validator))
        }
        return next
    }

    /// Names a failure; `nil` if the transfer is worth another attempt.
    private func failure(_ error: HTTPError) -> ResourceFailure? {
        if let failure = error.underlying as? ResourceFailure { return failure }
        let (head, progressed) = state.withLock { ($0.head, $0.progressed) }
        let mayContinue = head.map { $0.isLive || $0.isSeekable } ?? request.isPatient
        let isLasting = [.unavailable, .certificate, .refused].contains(error.code)
        if mayContinue, !isLasting, Clock.monotonic - progressed < Self.patience { return nil }
        let code = error.code == .certificate ? "resource.certificate" : "resource.unreachable"
        return ResourceFailure(
            code, error.message, next: "Check the network and the server: \(request.url)")
    }

    /// Ends the resource; returns whether this was its last part.
    private func finish(_ response: HTTPResponse) throws -> Bool {
        // An answer without a body has not begun.
        if state.withLock({ $0.head == nil }) { try begin(response) }
        let (head, position, asked) = state.withLock { ($0.head, $0.position, $0.asked) }
        if let bytes = head?.bytes, position < bytes {
            guard position > asked else { throw wrongPart }
            return false
        }
        try ResourcePacket.send(.end, to: socket)
        return true
    }

    private func tell(_ head: ResourceHead) throws {
        state.withLock { $0.head = head }
        try ResourcePacket.send(.head, json: head, to: socket)
    }

    // MARK: answers

    func begin(_ response: HTTPResponse) throws {
        if let failure = refusal(response) { throw failure }
        let new = head(response)
        let (old, position) = state.withLock { ($0.head, $0.position) }
        guard let old else {
            guard position == 0 || response.status == 206 else { throw noParts }
            return try tell(new)
        }
        if old.isLive { return }
        guard new.bytes == old.bytes, new.validator == old.validator else { throw hasChanged }
        guard response.status == 206 else { throw noParts }
    }

    func take(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(ResourcePacket.mostBytes - 1)
            try ResourcePacket.send(.bytes, piece, to: socket)
            rest = rest.dropFirst(piece.count)
        }
        state.withLock { state in
            state.position += Int64(bytes.count)
            state.progressed = Clock.monotonic
        }
    }

    /// Returns the reason why an answer is none; `nil` if it is.
    private func refusal(_ response: HTTPResponse) -> ResourceFailure? {
        switch response.status {
        case 200:
            guard type(response) == "text/html" else { return nil }
            return ResourceFailure(
                "resource.page", "\(request.url) is a web page",
                next: "Give the URL of the media; a network with a login needs the login first.")
        case 206:
            let range = ContentRange(response["Content-Range"] ?? "")
            let position = state.withLock { $0.position }
            return range?.first == position ? nil : wrongPart
        case 416 where state.withLock({ $0.position }) > 0: return hasChanged
        case 401, 403, 407:
            return ResourceFailure(
                "resource.denied", "\(request.url): status \(response.status)",
                next: "Give a URL that needs no login.")
        case 404, 410:
            return ResourceFailure(
                "resource.notFound", "\(request.url): status \(response.status)",
                next: "Check the URL.")
        default:
            return ResourceFailure(
                "resource.refused", "\(request.url): status \(response.status)",
                next: "Try again later.")
        }
    }

    private var noParts: ResourceFailure {
        ResourceFailure(
            "resource.noParts", "\(request.url): the server cannot begin in the middle",
            next: "Play it from the beginning, or use a server with byte ranges.")
    }

    private var wrongPart: ResourceFailure {
        ResourceFailure(
            "resource.wrongPart",
            "\(request.url): the server sends another part than was asked for",
            next: "Use another server.")
    }

    private var hasChanged: ResourceFailure {
        ResourceFailure(
            "resource.changed", "\(request.url) has changed on the server meanwhile",
            next: "Play it again.")
    }

    private func type(_ response: HTTPResponse) -> String {
        let value = response["Content-Type"] ?? ""
        return value.prefix { $0 != ";" }.trimmingSpaces.lowercased()
    }

    private func head(_ response: HTTPResponse) -> ResourceHead {
        let total =
            response.status == 206
            ? ContentRange(response["Content-Range"] ?? "")?.total
            : response.contentLength.map { Int64($0) }
        let tag = response["ETag"].flatMap { $0.hasPrefix("W/") ? nil : $0 }
        let takesParts = response.status == 206 || response["Accept-Ranges"] == "bytes"
        return ResourceHead(
            url: response.url.isEmpty ? request.url : response.url, bytes: total,
            isSeekable: takesParts && total != nil,
            validator: tag ?? response["Last-Modified"], type: type(response))
    }
}

/// A value of the header `Content-Range` (RFC 9110, section 14.4).
struct ContentRange: Equatable {
    let first: Int64
    /// The number of all bytes; `nil` if it is not known.
    let total: Int64?

    /// Returns `nil` if the text names no range of bytes.
    init?(_ text: String) {
        guard text.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/")
        let ends = parts.first?.split(separator: "-") ?? []
        guard parts.count == 2, ends.count == 2, let first = Int64(ends[0]),
            let last = Int64(ends[1]), first >= 0, last >= first
        else { return nil }
        let total = Int64(parts[1])
        guard total.map({ $0 > last }) ?? (parts[1] == "*") else { return nil }
        (self.first, self.total) = (first, total)
    }
}
