// SPDX-License-Identifier: GPL-3.0-or-later

public import CommandProtocol
public import Library

extension CommandError {
    /// A library's refusal with its next step and exit status.
    public init(_ error: LibraryError) {
        let (next, exit): (String, ExitStatus) =
            switch error.code {
            case .notFound: ("See: vitrine library list", .noInput)
            case .ambiguous: ("Give more characters of the id.", .noInput)
            case .busy: ("", .temporary)
            case .full: ("Make room on the file system, or lower [library] reserve_mb.", .temporary)
            case .readOnly: ("See: vitrine status", .temporary)
            case .closed: ("See: vitrine status", .temporary)
            case .permission: ("Use sudo, or run as user vitrine.", .notPermitted)
            default: ("", .io)
            }
        self.init(Self.code(of: error.code), error.message, next: next, exit: exit)
    }

    /// What ``init(_:)`` made this of; `nil` for another error.
    public var libraryError: LibraryError? {
        LibraryError.Code.allCases.first { Self.code(of: $0) == code }
            .map { LibraryError($0, message) }
    }

    private static func code(of code: LibraryError.Code) -> String { "library.\(code.rawValue)" }
}
