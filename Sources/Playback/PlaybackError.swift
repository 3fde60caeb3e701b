// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Glibc
internal import Imaging
internal import LinuxIO
internal import Network

/// The reason why something cannot be played.
public struct PlaybackError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for callers that act on it.
    public enum Code: String, Sendable {
        /// There is no such file.
        case notFound
        /// This user may not read the file.
        case permission
        /// The file is no media, of an unknown format, or has nothing to play.
        case unsupported
        /// The file is empty, cut off or damaged.
        case damaged
        /// A library or a decoder is not installed.
        case missing
        /// Out of memory.
        case exhausted
        case cancelled
        /// The medium failed.
        case io
        /// The network or the server failed.
        case unreachable
    }
    /// The kind of failure.
    public let code: Code
    /// The failure and its reason, in one line.
    public let message: String
    /// The next step for a person; `nil` for none in particular.
    public let next: String?

    /// Creates an error with a one-line message.
    public init(_ code: Code, _ message: String, next: String? = nil) {
        (self.code, self.message, self.next) = (code, message, next)
    }

    /// The message.
    public var description: String { message }

    init(_ name: String, _ error: any Error) {
        switch error {
        case let error as PlaybackError: self = error
        case let error as CodecError:
            let code: Code =
                switch error.code {
                case .unsupported: .unsupported
                case .missing: .missing
                case .exhausted: .exhausted
                case .truncated: .damaged
                default: .io
                }
            self.init(code, error.message)
        case let error as SystemCallError:
            let code: Code =
                error.code == ENOENT || error.code == ENOTDIR
                ? .notFound : error.isPermission ? .permission : .io
            self.init(code, "\(name): \(error)")
        case let error as ImagingError:
            self.init(error.code == .exhausted ? .exhausted : .unsupported, "\(name): \(error)")
        case let error as ResourceFailure:
            let code: Code =
                switch error.code {
                case "resource.notFound": .notFound
                case "resource.denied": .permission
                case "resource.page": .unsupported
                default: .unreachable
                }
            self.init(code, error.message, next: error.next)
        case is CancellationError: self.init(.cancelled, "\(name): cancelled")
        default: self.init(.io, "\(name): \(error)")
        }
    }
}
