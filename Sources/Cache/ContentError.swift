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

    /// Runs `body`, and names its error.
    static func naming<Value>(_ body: () throws -> Value) throws(ContentError) -> Value {
        do {
            return try body()
        } catch {
            throw ContentError(naming: error)
        }
    }

    /// Names an error of the network, the disk or the index.
    init(naming error: any Error) {
        switch error {
        case let error as ContentError: self = error
        case let error as HTTPError:
            if let underlying = error.underlying {
                self.init(naming: underlying)
            } else {
                self.init(error)
            }
        case let error as SystemCallError: self.init(error)
        case let error as StoreError: self.init(error)
        default: preconditionFailure("\(error)")
        }
    }

    private init(_ error: HTTPError) {
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

    private init(_ error: SystemCallError) {
        let (code, next): (Code, String) =
            switch error.code {
            case ENOSPC, EDQUOT: (.disk, "Free space, or lower [cache] quota_mb")
            case EACCES, EPERM, EROFS:
                (.permission, "Run the command as root, or choose another [cache] path")
            default: (.disk, "Check the disk")
            }
        self.init(code, "\(error)", next: next)
    }

    private init(_ error: StoreError) {
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
