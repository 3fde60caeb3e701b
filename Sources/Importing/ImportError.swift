// SPDX-License-Identifier: GPL-3.0-or-later

/// The reason why a file is not imported.
public struct ImportError: Error, Sendable, CustomStringConvertible {
    /// The kind of error, for callers that act on it.
    public enum Code: String, Sendable {
        /// The file is not a photo or video of a known kind.
        case notMedia
        case truncated
        /// The file's content is not what its first bytes announce.
        case damaged
        /// The file is valid but cannot be shown or played here.
        case unsupported
        /// Inspecting the file would take more memory than allowed.
        case tooLarge
        /// The file was written to while it was copied.
        case changed
        /// The photo of a RAW or side-car is missing or ambiguous.
        case noPicture
        /// A program that the file needs is not installed.
        case noProgram
    }

    /// The kind of error.
    public let code: Code
    /// The reason in one line, with the next step if there is one.
    public let message: String

    /// Creates an error from its parts.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static let notMedia = ImportError(
        .notMedia, "not a photo or video: JPEG, PNG, HEIF, MP4, MOV or MKV")

    static let noPicture = ImportError(
        .noPicture,
        "a RAW is imported beside the JPEG of its name and folder: import both, or the folder"
    )

    static func unsupported(_ kind: String) -> ImportError {
        ImportError(
            .unsupported,
            "a \(kind): convert it to a baseline JPEG or a PNG with the program that made it"
        )
    }

    static let sidecarAlone = ImportError(
        .noPicture,
        "a side-car is imported with the photo of its name and folder: import both, or the folder"
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
