// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc

/// A failed system call: its name, its object and the reason.
public struct SystemCallError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The call's name as in its man page, for example `open` or `VIDIOC_S_FMT`.
    public let call: String
    /// The value of `errno` after the call.
    public let code: CInt
    /// The file, device or other object of the call; empty if there is none.
    public let path: String

    /// Creates an error. `code` is a number of errno(3); nothing is checked.
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

    /// For example "open /dev/video0: Device or resource busy"; the path is left out if empty.
    public var description: String {
        path.isEmpty ? "\(call): \(reason)" : "\(call) \(path): \(reason)"
    }
}

/// Makes one system call, and repeats it while a signal interrupts it (`EINTR`). If `body` returns
/// a negative result, `errno` is read at once and thrown.
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

/// Makes one system call that returns an `int`. This is not a generic function, because it is
/// called several times per frame, and a generic called from another module is not specialised.
@discardableResult
public func systemCall(
    _ call: String, _ path: @autoclosure () -> String = "", _ body: () -> CInt
) throws(SystemCallError) -> CInt {
    CInt(truncatingIfNeeded: try systemCall(call, path()) { Int(body()) })
}

extension SystemCallError {
    /// Whether the process lacks the access rights.
    public var isPermission: Bool { code == EACCES || code == EPERM }
    /// Whether the object is in use by somebody else.
    public var isBusy: Bool { code == EBUSY }
    /// Whether the call may succeed soon: the object was in use, or memory or bandwidth was short.
    public var isMomentary: Bool { [EBUSY, ENOSPC, ENOMEM].contains(code) }
    /// Whether the disk, or this user's quota on it, is full.
    public var isFull: Bool { code == ENOSPC || code == EDQUOT }
    /// Whether the file would be too large for its file system, on FAT 4 GiB.
    public var isFileTooLarge: Bool { code == EFBIG }
    /// Whether the driver does not support the call.
    public var isUnsupported: Bool { code == EOPNOTSUPP || code == ENOTTY }
    /// Whether the device's input has no signal, or none that the device understands.
    public var hasNoSignal: Bool { [ENOLINK, ENOLCK, ERANGE].contains(code) }
    /// Whether the device has been unplugged.
    public var isGone: Bool { code == ENODEV || code == ENXIO || code == ENOENT }
}
