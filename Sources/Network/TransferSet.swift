// SPDX-License-Identifier: GPL-3.0-or-later

internal import CCurl

/// libcurl's set of running transfers. Only one thread uses it, except ``wake()``.
@safe
final class TransferSet: Sendable {
    // libcurl allows any thread to wake it; everything else is one thread's.
    private nonisolated(unsafe) let set: UnsafeMutableRawPointer

    /// A transfer in the set.
    @safe
    struct Handle: Equatable {
        fileprivate let pointer: UnsafeMutableRawPointer

        static func == (one: Self, other: Self) -> Bool {
            unsafe one.pointer == other.pointer
        }
    }

    /// How a transfer has ended.
    struct End {
        let handle: Handle
        /// `nil` if the answer is complete.
        let failure: HTTPError.Code?
        let reason: String
        /// The URL after all redirects.
        let url: String
    }

    /// Returns `nil` without memory. libcurl must be open.
    init?() {
        guard let set = unsafe ccurl_open() else { return nil }
        unsafe self.set = set
    }

    deinit { unsafe ccurl_close(set) }

    /// Ends the present or the next ``wait()``. Any thread.
    func wake() { unsafe ccurl_wake(set) }

    /// Moves the bytes that have come.
    func move() { unsafe ccurl_move(set) }

    /// Waits for bytes or ``wake()``. Call it only after ``nextEnd()`` has returned `nil`.
    func wait() { unsafe ccurl_wait(set) }

    /// Begins a transfer; `nil` without memory. The transfer must live until ``end(_:)``.
    func begin(_ transfer: Transfer, _ configuration: HTTPClient.Configuration) -> Handle? {
        let request = transfer.request
        let lines = request.headers.map { "\($0.name): \($0.value)" }
        return unsafe withCStrings([request.url, configuration.userAgent] + lines) { texts in
            unsafe withCString(configuration.proxy) { proxy in
                unsafe withCString(configuration.certificates) { certificates in
                    var new = unsafe ccurl_request()
                    unsafe new.url = texts[0]
                    unsafe new.user_agent = texts[1]
                    unsafe new.headers = texts.baseAddress.map { unsafe $0 + 2 }
                    unsafe new.header_count = lines.count
                    unsafe new.proxy = proxy
                    unsafe new.ca_file = certificates
                    unsafe new.allows_encoding = request.allowsEncoding ? 1 : 0
                    unsafe new.connect_s = configuration.stallSeconds
                    unsafe new.stall_s = configuration.stallSeconds
                    unsafe new.least_bytes = configuration.leastBytesPerSecond
                    unsafe new.context = Unmanaged.passUnretained(transfer).toOpaque()
                    unsafe new.header = { line, count, context in
                        guard let line = unsafe line, let context = unsafe context else { return }
                        let text = unsafe String(
                            decoding: UnsafeRawBufferPointer(start: line, count: count),
                            as: UTF8.self)
                        unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                            .takeHeader(text)
                    }
                    unsafe new.body = { bytes, count, url, context in
                        guard let context = unsafe context, let url = unsafe url else { return 0 }
                        let piece = unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
                        return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                            .takeBody(piece, from: String(cString: url)) ? 1 : 0
                    }
                    return unsafe ccurl_begin(set, &new).map { unsafe Handle(pointer: $0) }
                }
            }
        }
    }

    /// Ends a transfer, also before its own end.
    func end(_ handle: Handle) { unsafe ccurl_end(set, handle.pointer) }

    /// Returns a transfer that has ended and for which ``end(_:)`` was not called.
    func nextEnd() -> End? {
        var report = unsafe ccurl_end_report()
        guard unsafe ccurl_next_end(set, &report) != 0, let pointer = unsafe report.transfer else {
            return nil
        }
        let failure: HTTPError.Code? =
            switch unsafe report.outcome {
            case CCURL_COMPLETE: nil
            case CCURL_UNREACHABLE: .unreachable
            case CCURL_CERTIFICATE: .certificate
            case CCURL_STALLED: .stalled
            case CCURL_ENDED_HERE: .refused
            default: .broken
            }
        return unsafe End(
            handle: Handle(pointer: pointer), failure: failure,
            reason: report.reason.map { unsafe String(cString: $0) } ?? "",
            url: report.url.map { unsafe String(cString: $0) } ?? "")
    }
}

/// Calls `body` with C strings that are valid until it returns.
@unsafe
private func withCStrings<Value>(
    _ texts: [String], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Value
) -> Value {
    let copies = texts.map { Array($0.utf8CString) }
    var pointers: [UnsafePointer<CChar>?] = unsafe []
    func collect(_ index: Int) -> Value {
        guard index < copies.count else {
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0) }
        }
        return unsafe copies[index].withUnsafeBufferPointer { buffer in
            unsafe pointers.append(buffer.baseAddress)
            return collect(index + 1)
        }
    }
    return collect(0)
}

@unsafe
private func withCString<Value>(
    _ text: String?, _ body: (UnsafePointer<CChar>?) -> Value
) -> Value {
    guard let text else { return body(nil) }
    return unsafe text.withCString { unsafe body($0) }
}
