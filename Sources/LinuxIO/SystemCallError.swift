// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A system call that the kernel refused: which one, on what, and why.
public struct SystemCallError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The call's name as its man page has it, for example `open` or `VIDIOC_S_FMT`.
    public let call: String
    /// `errno` as the call left it.
    public let code: CInt
    /// The file, device or object it was about; empty when there is none.
    public let path: String

    /// `code` is one of errno(3); nothing is checked.
    public init(call: String, code: CInt, path: String = "") {
        self.call = call
        self.code = code
        self.path = path
    }

    /// The reason in the C library's words, for example "No such file or directory".
    public var reason: String {
        var buffer = [CChar](repeating: 0, count: 128)
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, unsafe strerror_r(code, start, 128) == 0
            else { return "error \(code)" }
            return unsafe String(cString: start)
        }
    }

    /// For example "open /dev/video0: Device or resource busy"; the path only where there is one.
    public var description: String {
        path.isEmpty ? "\(call): \(reason)" : "\(call) \(path): \(reason)"
    }
}

/// Makes one system call, again as long as a signal interrupts it (`EINTR`).
///
/// `body` answers the call's own result; a negative one throws with `errno` read at once.
@discardableResult
public func systemCall(
    _ call: String, _ path: @autoclosure () -> String = "", _ body: () -> Int
) throws(SystemCallError) -> Int {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno
        if code != EINTR { throw SystemCallError(call: call, code: code, path: path()) }
    }
}

/// The same for a call that answers an `int`. Not generic: it is made several times a frame, and a
/// generic that another module calls is not specialised.
@discardableResult
public func systemCall(
    _ call: String, _ path: @autoclosure () -> String = "", _ body: () -> CInt
) throws(SystemCallError) -> CInt {
    CInt(truncatingIfNeeded: try systemCall(call, path()) { Int(body()) })
}

extension SystemCallError {
    /// Whether the rights are missing, rather than the thing.
    public var isPermission: Bool { code == EACCES || code == EPERM }
    /// Whether somebody else is using it.
    public var isBusy: Bool { code == EBUSY }
    /// Whether it may work the next moment: somebody was quicker, or memory or bandwidth was short.
    public var isMomentary: Bool { [EBUSY, ENOSPC, ENOMEM].contains(code) }
    /// Whether the disk, or the share of it that may be used, is full.
    public var isFull: Bool { code == ENOSPC || code == EDQUOT }
    /// Whether no file may be so large: on FAT 4 GiB.
    public var isFileTooLarge: Bool { code == EFBIG }
    /// Whether the driver cannot do such a thing.
    public var isUnsupported: Bool { code == EOPNOTSUPP || code == ENOTTY }
    /// Whether nothing is plugged into it that sends what it understands.
    public var hasNoSignal: Bool { [ENOLINK, ENOLCK, ERANGE].contains(code) }
    /// Whether the device has been unplugged.
    public var isGone: Bool { code == ENODEV || code == ENXIO || code == ENOENT }
}
