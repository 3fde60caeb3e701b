// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import Library

extension LibraryKeeper {
    /// Something that is wrong with the library.
    package struct Problem: Sendable, Equatable {
        package let code: String
        package let message: String
        /// What to do about it.
        package let next: String
        /// What cannot be kept.
        package let prevents: Prevented

        package enum Prevented: Sendable { case nothing, clips, all }
    }
}

extension LibraryKeeper.Problem {
    /// Photos can be kept, and clips cannot.
    init(ofClips error: LibraryError) {
        self.init(
            code: "library.low", message: "no room for ten seconds of a clip: \(error.message)",
            next: CommandError(error).next, prevents: .clips)
    }

    /// A refusal that keeps photos from being kept.
    init(_ error: LibraryError) {
        let code =
            switch error.code {
            // Closed by whoever looks after it.
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
            // It goes on by itself: asking status once more says no more.
            case .closed, .stalled, .readOnly: "see: vitrine doctor"
            default: CommandError(error).next
            }
        self.init(code: code, message: error.message, next: next, prevents: .all)
    }
}

extension LibraryError {
    /// The medium of the library in `path` does not answer.
    static func stalled(_ path: String) -> LibraryError {
        LibraryError(
            .stalled,
            "library \(path): its disk does not answer: look at its plug or its network, or put another "
                + "one in its place")
    }
}
