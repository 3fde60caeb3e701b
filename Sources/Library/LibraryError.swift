// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Store

/// Something the library could not do: which thing, which call, why, and what to do next.
public struct LibraryError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for callers that act on it.
    public enum Code: String, Sendable, CaseIterable {
        /// Another process owns the library.
        case busy
        /// Writing would leave less free space than the reserve, or the medium is full.
        case full
        case notFound
        /// An id prefix fits several assets.
        case ambiguous
        /// The library is degraded or on a read-only file system.
        case readOnly
        /// Content is not what was stored.
        case damaged
        /// The medium failed.
        case io
        /// The medium has not answered in time.
        case stalled
        case permission
        /// No picture of it can be made here.
        case unsupported
        /// Another asset or file already has that name.
        case conflict
        /// A photo that cannot be stored as it is: no bytes, or a file extension that is none.
        case invalid
        /// What a filter, caption or keyword cannot be.
        case invalidValue
        /// The history of changes does not go back so far.
        case expired
        /// Only what is in "recently deleted" can be purged.
        case notDeleted
        /// A folder with albums in it is only deleted with them.
        case notEmpty
        /// Made by a newer Vitrine.
        case newer
        /// Used after ``AssetLibrary/close()``.
        case closed
        /// The process, or the whole machine, has no file descriptors left.
        case exhausted
        /// The task was cancelled.
        case cancelled
    }

    /// What went wrong.
    public let code: Code
    /// The thing, the call and the reason, in one line, and the next step where only the library
    /// knows it.
    public let message: String
    /// The system call's or the store's error, where there is one.
    public let underlying: (any Error)?

    /// For stages above that answer with the library's errors.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message.
    public var description: String { message }

    /// Sorts a refused system call; `what` is the thing it was for.
    init(_ what: String, _ error: SystemCallError) {
        let code: Code =
            switch error.code {
            case ENOSPC, EDQUOT: .full
            case EROFS: .readOnly
            case EACCES, EPERM: .permission
            case ENOENT, ENOTDIR: .notFound
            case EEXIST: .conflict
            case EMFILE, ENFILE: .exhausted
            default: .io
            }
        self.init(code, "\(what): \(error)", underlying: error)
    }

    init(_ error: StoreError) {
        if let own = error.underlying as? LibraryError {
            self = own
            return
        }
        let code: Code =
            switch error.code {
            case .busy: .busy
            case .closed: .closed
            case .damaged: .damaged
            case .exhausted: .exhausted
            case .full: .full
            case .io: .io
            case .newer: .newer
            case .permission: .permission
            case .readOnly: .readOnly
            case .refused: error.underlying is CancellationError ? .cancelled : .io
            }
        self.init(code, error.message, underlying: error)
    }
}
