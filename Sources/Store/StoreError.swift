// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import Glibc
internal import LinuxIO

/// The reason why a database could not be opened, read or written.
public struct StoreError: Error, CustomStringConvertible {
    /// The kind of failure, for callers that act on it.
    public enum Code: String, Sendable {
        /// Another connection holds a lock.
        case busy
        case closed
        /// The file is damaged, or another program's.
        case damaged
        /// The process or the machine has no file descriptors left.
        case exhausted
        case full
        /// The medium failed; what was being written may be lost.
        case io
        /// The file was made by a newer Vitrine, in a format that this one does not know.
        case newer
        case permission
        /// The file is open read-only: its medium is, or commits would not be durable.
        case readOnly
        /// A statement or constraint failed: an error in the program.
        case refused
    }

    /// The kind of failure.
    public let code: Code
    /// The file, the step and the reason.
    public let message: String
    /// The error of SQLite or GRDB.
    public let underlying: (any Error)?

    package init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message.
    public var description: String { message }

    /// Classifies an error that GRDB or a step inside a transaction threw.
    init(_ step: String, _ path: String, _ error: any Error) {
        if let error = error as? StoreError {
            self = error
            return
        }
        guard let database = error as? DatabaseError else {
            self.init(.refused, "\(step) \(path): \(error)", underlying: error)
            return
        }
        // SQLite does not say why it cannot open a file.
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

    /// Returns the kernel's error if the process cannot open as many descriptors as two connections
    /// need; SQLite has closed its own by now. Opens no database file: closing its descriptor drops
    /// all locks of the process on it, SQLite's too (sqlite.org/howtocorrupt.html, 2.2).
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
