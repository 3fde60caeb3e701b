// SPDX-License-Identifier: GPL-3.0-or-later

internal import Hashing
internal import LinuxIO
internal import Network
internal import Synchronization

/// Takes an answer's body into the unfinished file of its URL, on the client's thread. Everything
/// that a later download may go on from is on the medium before the index says so.
final class ContentDownload: HTTPReceiver {
    /// The demands on the file.
    struct Limits: Sendable {
        /// The most bytes.
        let bytes: Int
        let expectation: Expectation
    }

    private struct State: ~Copyable {
        var file: GrowingFile
        var digest = SHA256()
        var validator: String?
        /// The bytes that the index knows to be on the medium.
        var durable = 0
        /// The expected length of the whole file; `nil` if unknown.
        var total: Int?
        var isError = false
        /// Whether bytes of a good answer have come.
        var hasBegun = false
    }

    /// A file that is complete and on the medium.
    struct Complete: ~Copyable {
        let file: GrowingFile
        let sha256: [UInt8]
    }

    /// Bytes that may be lost with the power: a download goes on from the last multiple.
    private static let step = 4 << 20

    private let url: ContentURL
    private let index: ContentIndex
    private let limits: Limits
    private let progress: ContentCache.Progress
    /// The bytes that the request has left out; 0 for none.
    private let offset: Int
    private let state: Mutex<State>

    /// - Parameter part: The unfinished download that the request goes on with; `nil` for none.
    init(
        _ url: ContentURL, file: consuming GrowingFile, index: ContentIndex, limits: Limits,
        continuing part: ContentIndex.Part?, progress: @escaping ContentCache.Progress
    ) {
        self.url = url
        self.index = index
        self.limits = limits
        self.progress = progress
        offset = part?.bytes ?? 0
        var state = State(file: file)
        state.validator = part?.validator
        state.durable = part?.bytes ?? 0
        self.state = Mutex(state)
    }

    func begin(_ response: HTTPResponse) throws {
        try state.withLock { state in
            switch response.status {
            case 200..<300 where response.status != 206:
                try start(response, &state)
                state.hasBegun = true
            case 206 where offset > 0:
                try goOn(response, &state)
                state.hasBegun = true
            default:
                state.isError = true
            }
            if let length = state.total, length > limits.bytes { throw tooLarge(length) }
        }
    }

    private func start(_ response: HTTPResponse, _ state: inout State) throws {
        if let wrong = limits.expectation.mismatch(contentType: response["Content-Type"]) {
            throw unexpected(wrong)
        }
        // The index must not describe bytes that are about to go.
        if offset > 0 { try index.removePart(url.text) }
        try state.file.shorten(to: 0)
        state.digest = SHA256()
        (state.durable, state.validator) = (0, nil)
        // The length of a compressed body says nothing about the file.
        guard response["Content-Encoding"] == nil else { return }
        state.total = response.contentLength
        state.validator = Self.strongValidator(response)
    }

    /// Checks that the part of the body follows what is there (RFC 9110, section 14.4).
    private func goOn(_ response: HTTPResponse, _ state: inout State) throws {
        let range = response["Content-Range"] ?? ""
        let numbers = range.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
        guard range.lowercased().hasPrefix("bytes "), numbers.count == 3, numbers[0] == offset
        else {
            throw ContentError(
                .broken, "\(url): the server answers with another range: \(range)",
                next: "Try again; see whether the server works")
        }
        state.total = numbers[2]
        try state.file.shorten(to: offset)
        let reader = try DurableFileReader(state.file.path)
        while true {
            let block = try reader.read()
            if block.isEmpty { return }
            state.digest.update(block)
        }
    }

    /// Returns a validator that tells equal bytes from similar ones (RFC 9110, section 8.8).
    private static func strongValidator(_ response: HTTPResponse) -> String? {
        guard response["Accept-Ranges"]?.lowercased() != "none" else { return nil }
        if let etag = response["ETag"] { return etag.hasPrefix("W/") ? nil : etag }
        guard let text = response["Last-Modified"], let changed = HTTPDate.seconds(text),
            let date = response["Date"].flatMap(HTTPDate.seconds), date - changed >= 60
        else { return nil }
        return text
    }

    func take(_ bytes: [UInt8]) throws {
        try state.withLock { state in
            if state.isError { return }
            let count = state.file.bytes + bytes.count
            if count > limits.bytes { throw tooLarge(count) }
            try state.file.append(bytes)
            state.digest.update(bytes)
            if state.file.bytes - state.durable >= Self.step { try keep(&state) }
            progress(url, state.file.bytes, state.total)
        }
    }

    private func keep(_ state: inout State) throws {
        guard let validator = state.validator else { return }
        try state.file.synchronize()
        try index.keepPart(url, validator: validator, bytes: state.file.bytes)
        state.durable = state.file.bytes
    }

    /// Ends a download that is not complete. Its bytes stay if `keepsPart` is true, if a later
    /// download can go on with them, and if the disk has room.
    func abandon(keepsPart: Bool) {
        state.withLock { state in
            if keepsPart, state.validator != nil, state.file.bytes > 0, (try? keep(&state)) != nil {
                return
            }
            try? FileTree.remove(state.file.path)
            try? index.removePart(url.text)
        }
    }

    /// Checks the length, the hash and the beginning of the file, and waits until it is on the
    /// medium. The download ends.
    func finish() throws -> Complete {
        try state.withLock { state in
            let count = state.file.bytes
            // An answer without a body, such as 204, says nothing of what was there before.
            guard state.hasBegun, count > 0 else { throw unexpected("it is empty") }
            if let total = state.total, total != count {
                throw ContentError(
                    .broken, "\(url): \(count) of \(total) bytes have come", next: "Try again")
            }
            let beginning = try DurableFileReader(state.file.path).read(upTo: 16)
            if let wrong = limits.expectation.mismatch(beginning: beginning) {
                throw unexpected(wrong)
            }
            let digest = exchange(&state.digest, with: SHA256())
            let hash = digest.finalize()
            if let wrong = limits.expectation.mismatch(sha256: hash) { throw unexpected(wrong) }
            try state.file.synchronize()
            return Complete(file: try state.file.handOver(), sha256: hash)
        }
    }

    private func unexpected(_ reason: String) -> ContentError {
        ContentError(
            .unexpected, "\(url): this is not the expected content: \(reason)",
            next: "Open the URL on this network; a login page may stand in its place")
    }

    private func tooLarge(_ count: Int) -> ContentError {
        ContentError(
            .tooLarge, "\(url): \(count) bytes are more than the cache holds (\(limits.bytes))",
            next: "Raise [cache] quota_mb")
    }
}
