// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import Glibc
internal import LinuxIO

/// A database that could not be opened, read or written.
public struct StoreError: Error, CustomStringConvertible {
    /// What went wrong, for callers that act on it.
    public enum Code: String, Sendable {
        /// Another connection holds it.
        case busy
        /// Closed before.
        case closed
        /// The file is not what it should be, or not ours.
        case damaged
        /// The process, or the whole machine, has no file descriptors left.
        case exhausted
        /// The medium is full.
        case full
        /// The medium failed: what was being written may be lost.
        case io
        /// Made by a newer Vitrine in a form that this one does not know.
        case newer
        /// Not permitted by the file system.
        case permission
        /// Opened for reading only, by the medium or because it could not be made durable.
        case readOnly
        /// A statement or rule was broken: an error in the program.
        case refused
    }

    /// What went wrong.
    public let code: Code
    /// The file, the step and the reason.
    public let message: String
    /// SQLite's or GRDB's own error.
    public let underlying: (any Error)?

    package init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message.
    public var description: String { message }

    /// Sorts an error that GRDB or a step inside a transaction threw.
    init(_ step: String, _ path: String, _ error: any Error) {
        if let error = error as? StoreError {
            self = error
            return
        }
        guard let database = error as? DatabaseError else {
            self.init(.refused, "\(step) \(path): \(error)", underlying: error)
            return
        }
        // SQLite does not say why it could not.
        if database.resultCode == .SQLITE_CANTOPEN, let refusal = Self.exhaustion() {
            self.init(.exhausted, "\(step) \(path): \(refusal.reason)", underlying: error)
            return
        }
        let code: Code =
            switch database.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: .damaged
            case .SQLITE_FULL: .full
            case .SQLITE_IOERR, .SQLITE_PROTOCOL: .io
            case .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: .permission
            case .SQLITE_READONLY: .readOnly
            case .SQLITE_MISUSE: .closed
            default: .refused
            }
        let reason = database.message ?? "no reason given"
        self.init(
            code, "\(step) \(path): \(reason) (SQLite \(database.extendedResultCode.rawValue))",
            underlying: error)
    }

    /// What the kernel says when so many descriptors are wanted as two connections take: SQLite has given its own
    /// back by now. Not of the database itself: closing any descriptor of a file drops all locks that the process
    /// has on it, SQLite's too (sqlite.org/howtocorrupt.html, 2.2).
    private static func exhaustion(_ descriptors: Int = 8) -> SystemCallError? {
        do {
            let file = try DurableFileReader("/dev/null")
            return withExtendedLifetime(file) {
                descriptors > 1 ? exhaustion(descriptors - 1) : nil
            }
        } catch {
            return [EMFILE, ENFILE].contains(error.code) ? error : nil
        }
    }
}
