// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import Library

extension LibrarySupervisor {
    package struct Problem: Sendable, Equatable {
        package let code: String
        package let message: String
        package let next: String
        package let prevents: Prevented

        package enum Prevented: Sendable { case nothing, clips, all }
    }
}

extension LibrarySupervisor.Problem {
    /// Creates the problem that there is room for photos but not for clips.
    init(ofClips error: LibraryError) {
        self.init(
            code: "library.low", message: "no room for ten seconds of a clip: \(error.message)",
            next: CommandError(error).next, prevents: .clips)
    }

    /// Creates the problem that no photo can be stored.
    init(_ error: LibraryError) {
        let code =
            switch error.code {
            // Another process repairs it.
            case .busy, .closed: "library.busy"
            case .full: "library.full"
            case .permission: "library.denied"
            case .notFound: "library.missing"
            case .stalled: "library.stalled"
            case .exhausted: "library.exhausted"
            case .damaged: "library.damaged"
            case .newer: "library.newer"
            default: "library.readonly"
            }
        let next =
            switch error.code {
            // The problem ends by itself, and asking for the status again tells no more.
            case .closed, .stalled, .readOnly: "see: vitrine doctor"
            default: CommandError(error).next
            }
        self.init(code: code, message: error.message, next: next, prevents: .all)
    }
}

extension LibraryError {
    static func stalled(_ path: String) -> LibraryError {
        LibraryError(
            .stalled,
            "library \(path): the disk does not answer: check its plug or its network, or replace "
                + "it")
    }
}
