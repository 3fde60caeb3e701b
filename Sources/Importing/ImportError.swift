// SPDX-License-Identifier: GPL-3.0-or-later

/// Why a file is not taken in.
public struct ImportError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, for callers that act on it.
    public enum Code: String, Sendable {
        /// Not a photo or video of a kind that is known.
        case notMedia
        /// Its end is missing.
        case truncated
        /// It says what it is, and is not that.
        case damaged
        /// It could be shown or played, but not here.
        case unsupported
        /// Looking at it would take more memory than is allowed.
        case tooLarge
        /// It was written to while it was copied.
        case changed
        /// A RAW without the photo that a camera writes beside it.
        case noPicture
        /// A program that is needed for it is not installed.
        case noProgram
    }

    /// What is wrong.
    public let code: Code
    /// The reason, in one line, and the next step where there is one.
    public let message: String

    /// Of the given parts.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static let notMedia = ImportError(
        .notMedia, "no photo or video: JPEG, PNG, HEIF, MP4, MOV or MKV")

    static let noPicture = ImportError(
        .noPicture,
        "a RAW comes in beside the JPEG of the same name from the same folder: import both, or their folder"
    )

    static func unsupported(_ kind: String) -> ImportError {
        ImportError(
            .unsupported,
            "a \(kind): convert it to a baseline JPEG or a PNG, with the program that it comes from"
        )
    }

    static let sidecarAlone = ImportError(
        .noPicture,
        "a side-car comes in beside the photo of its name from the same folder: import both, or their folder"
    )

    static func secondRaw(of picture: Substring, beside raw: Substring) -> ImportError {
        ImportError(
            .unsupported,
            "a photo has one RAW, and \(picture) has \(raw): give it another name, or leave it out")
    }

    static func ambiguousPicture(_ names: String) -> ImportError {
        ImportError(
            .noPicture, "its name fits more than one photo (\(names)): write it as one of them")
    }

    /// The message.
    public var description: String { message }
}
