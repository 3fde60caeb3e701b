// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials

/// What became of files that were to be imported.
public struct ImportReport: Sendable {
    /// A file whose content was in the library already.
    public struct Duplicate: Sendable {
        /// The file.
        public let path: String
        /// The asset that has this content.
        public let asset: UUID
        /// Whether that is in "recently deleted".
        public let isDeleted: Bool
    }

    /// A file that was taken in although something about it is odd.
    public struct Remark: Sendable {
        /// The file.
        public let path: String
        /// One line that says what is odd.
        public let message: String
    }

    /// A file that was not taken in.
    public struct Failure: Sendable {
        /// The file.
        public let path: String
        /// ``ImportError``, or a `SystemCallError` that reading it met.
        public let error: any Error
    }

    /// New assets, in the order in which they came in.
    public internal(set) var imported: [UUID] = []
    /// Photos that got the RAW beside them, new ones or not.
    public internal(set) var attached: [UUID] = []
    /// Of all that is new.
    public internal(set) var bytes: Int64 = 0
    /// Named; nothing was copied.
    public internal(set) var duplicates: [Duplicate] = []
    /// Remarks about files that are new.
    public internal(set) var remarks: [Remark] = []
    /// In folders, what is no photo or video by its name nor by its content.
    public internal(set) var ignored: [String] = []
    /// Each with its reason.
    public internal(set) var failures: [Failure] = []
    /// What ended the import before the last file: the library takes no more, or is not there any more. `nil` when
    /// every file was dealt with.
    public internal(set) var interruption: (any Error)?
}

/// How far an import has come.
public struct ImportProgress: Sendable {
    /// Files dealt with; a photo and its RAW are one.
    public let done: Int
    /// Files that were found.
    public let total: Int
}
