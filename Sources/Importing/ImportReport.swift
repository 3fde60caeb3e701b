// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

/// The outcome of an import.
public struct ImportReport: Sendable {
    /// A file whose content was already in the library.
    public struct Duplicate: Sendable {
        /// The path of the file.
        public let path: String
        /// The asset that has this content.
        public let asset: UUID
        /// Whether the asset is in "recently deleted".
        public let isDeleted: Bool
    }

    /// An imported file that is odd in some respect.
    public struct Remark: Sendable {
        /// The path of the file.
        public let path: String
        /// One line that says what is odd.
        public let message: String
    }

    /// A file that was not imported.
    public struct Failure: Sendable {
        /// The path of the file.
        public let path: String
        /// An ``ImportError``, a `LibraryError` about the file, or reading's `SystemCallError`.
        public let error: any Error
    }

    /// The new assets, in the order of their import.
    public internal(set) var imported: [UUID] = []
    /// The photos, new or old, that received the RAW beside them.
    public internal(set) var attached: [UUID] = []
    /// The size of all new files in bytes.
    public internal(set) var bytes: Int64 = 0
    /// The files that were already in the library. Nothing was copied.
    public internal(set) var duplicates: [Duplicate] = []
    /// Remarks about files that are new.
    public internal(set) var remarks: [Remark] = []
    /// The files in folders that are no photos or videos, by name or content.
    public internal(set) var ignored: [String] = []
    /// The files that were not imported, each with its reason.
    public internal(set) var failures: [Failure] = []
    /// The error that ended the import early: the library accepts nothing more, or is gone. `nil`
    /// if every file was processed.
    public internal(set) var interruption: (any Error)?
}

/// The progress of an import.
public struct ImportProgress: Sendable {
    /// The files processed. A photo and its RAW count as one.
    public let done: Int
    /// The files found.
    public let total: Int
}
