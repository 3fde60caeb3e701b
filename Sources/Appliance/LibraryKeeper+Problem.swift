// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library

extension LibraryKeeper {
    /// Something that is wrong with the library.
    package struct Problem: Sendable, Equatable {
        package let code: String
        package let message: String
        /// Whether no photo can be kept.
        package let preventsPhotos: Bool
    }
}

extension LibraryKeeper.Problem {
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
        self.init(code: code, message: error.message, preventsPhotos: true)
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
