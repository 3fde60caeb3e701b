// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Store

/// An operation that failed: the object, the call, the reason and the next step.
public struct LibraryError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for callers that act on it.
    public enum Code: String, Sendable, CaseIterable {
        /// Another process owns the library.
        case busy
        /// A write would use the reserve, or the medium is full.
        case full
        case notFound
        /// Only a remote has the original; `vitrine library fetch` brings it back.
        case remoteOnly
        /// An id prefix matches several assets.
        case ambiguous
        /// The library is degraded, or its file system is read-only.
        case readOnly
        /// The content is not what was stored.
        case damaged
        /// The medium failed.
        case io
        /// The medium did not answer in time.
        case stalled
        case permission
        /// This installation cannot read the picture or movie.
        case unsupported
        /// Another asset or file already has this id, content or name.
        case conflict
        /// The file cannot become an asset; for example, it is empty or has an invalid extension.
        case invalid
        /// The value is not valid for a filter, caption or keyword.
        case invalidValue
        /// The history of changes does not go back that far.
        case expired
        /// Only assets in "recently deleted" can be purged.
        case notDeleted
        /// A folder that contains albums can only be deleted with them.
        case notEmpty
        /// A newer Vitrine made the library.
        case newer
        /// The library was used after ``AssetLibrary/close()``.
        case closed
        /// The process or the system has no file descriptors left.
        case exhausted
        case cancelled
    }

    /// The kind of failure.
    public let code: Code
    /// The object, the call and the reason in one line; the next step if only the library knows it.
    public let message: String
    /// The error of the system call or the store, if any.
    public let underlying: (any Error)?

    /// Creates an error, also for stages above that report the library's errors.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message.
    public var description: String { message }

    /// Classifies a failed system call; `what` is the object of the operation.
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

extension LibraryError {
    static func remoteOnly(_ asset: Asset) -> LibraryError {
        LibraryError(.remoteOnly, "asset \(asset.id.text): only the remote has its original")
    }
}
