// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Network
internal import Store

/// The reason why a URL has no file.
package struct ContentError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable {
        case invalidURL
        /// The server's status is no success.
        case status
        /// The server cannot be reached.
        case unreachable
        case certificate
        /// The transfer was too slow.
        case stalled
        /// The transfer broke off, or the answer is no valid one.
        case broken
        /// The content is empty or not what the caller expects; perhaps a captive portal's page.
        case unexpected
        /// The server forbids that the content is stored.
        case notStorable
        /// The content is larger than the cache.
        case tooLarge
        /// The cache's folder cannot be written.
        case disk
        /// This process may not write to the cache's folder.
        case permission
        /// The cache's index failed.
        case index
        /// libcurl is missing.
        case unavailable
        case cancelled
    }

    /// The kind of failure.
    package let code: Code
    /// One line that names the URL and the reason.
    package let message: String
    /// The next step for a person.
    package let next: String

    init(_ code: Code, _ message: String, next: String) {
        self.code = code
        self.message = message
        self.next = next
    }

    /// The message.
    package var description: String { message }

    init(_ error: HTTPError) {
        if let own = error.underlying as? ContentError {
            self = own
            return
        }
        if let disk = error.underlying as? SystemCallError {
            self.init(disk)
            return
        }
        if let index = error.underlying as? StoreError {
            self.init(index)
            return
        }
        let (code, next): (Code, String) =
            switch error.code {
            case .unavailable: (.unavailable, "Install libcurl: sudo apt install libcurl4")
            case .unreachable: (.unreachable, "Check the network and the server's name")
            case .certificate:
                (
                    .certificate,
                    "Check the clock, or name the server's authority: [cache] ca_file"
                )
            case .stalled: (.stalled, "Check the network; what has come is kept")
            case .broken, .refused: (.broken, "Try again; see whether the server works")
            case .cancelled: (.cancelled, "Try again")
            }
        self.init(code, error.message, next: next)
    }

    init(_ error: SystemCallError) {
        let (code, next): (Code, String) =
            switch error.code {
            case ENOSPC, EDQUOT: (.disk, "Free space, or lower [cache] quota_mb")
            case EACCES, EPERM, EROFS:
                (.permission, "Run the command as root, or choose another [cache] path")
            default: (.disk, "Check the disk")
            }
        self.init(code, "\(error)", next: next)
    }

    init(_ error: StoreError) {
        let (code, next): (Code, String) =
            switch error.code {
            case .full: (.disk, "Free space, or lower [cache] quota_mb")
            case .permission, .readOnly:
                (.permission, "Run the command as root, or choose another [cache] path")
            default: (.index, "Check the disk; the folder of the cache may be deleted")
            }
        self.init(code, error.message, next: next)
    }
}
