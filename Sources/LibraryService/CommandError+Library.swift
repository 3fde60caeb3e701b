// SPDX-License-Identifier: GPL-3.0-or-later

public import CommandProtocol
public import Library
internal import LinuxIO

extension CommandError {
    /// Creates the error for a library's error, with its next step and exit status.
    public init(_ error: LibraryError) {
        // An error from the control socket has both already.
        if let told = error.underlying as? CommandError {
            self = told
            return
        }
        let (next, exit): (String, ExitStatus) =
            switch error.code {
            case .notFound where error.underlying is SystemCallError:
                ("Look whether the medium that it is on is mounted.", .noInput)
            case .notFound: ("See: vitrine library list", .noInput)
            case .remoteOnly: ("Bring it back: vitrine library fetch ID", .temporary)
            case .ambiguous: ("Give more characters of the id.", .noInput)
            case .busy: ("Try again when the other has ended.", .temporary)
            case .full: ("Make room on the file system, or lower [library] reserve_mb.", .temporary)
            case .readOnly where error.underlying is SystemCallError:
                ("Look why it is not mounted for writing: journalctl -k", .temporary)
            case .readOnly: ("See: vitrine status", .temporary)
            case .closed, .stalled: ("See: vitrine status", .temporary)
            case .permission: ("Use sudo, or run as user vitrine.", .notPermitted)
            case .exhausted:
                (
                    "Try again; if that stays so: sudo systemctl restart vitrine", .temporary
                )
            case .unsupported:
                // The message names a missing program or memory.
                ("Look at it elsewhere: vitrine library export FOLDER ID", .temporary)
            case .conflict: ("Move what is there away, and run it again.", .io)
            case .newer: ("Install the Vitrine that made it, or a newer one.", .io)
            case .cancelled: ("Run it again.", .io)
            case .invalidValue: ("See: vitrine library --help", .usage)
            case .expired: ("Read everything again.", .temporary)
            case .notDeleted: ("First: vitrine library delete ID", .usage)
            case .notEmpty: ("Empty it first, or: vitrine album delete --recursive", .usage)
            case .damaged, .io, .invalid:
                ("Look what the kernel says of the medium: journalctl -k", .io)
            }
        self.init(Self.code(of: error.code), error.message, next: next, exit: exit)
    }

    /// The library's error that ``init(_:)`` was given; `nil` for other errors.
    public var libraryError: LibraryError? {
        LibraryError.Code.allCases.first { Self.code(of: $0) == code }
            .map { LibraryError($0, message, underlying: self) }
    }

    private static func code(of code: LibraryError.Code) -> String { "library.\(code.rawValue)" }
}
