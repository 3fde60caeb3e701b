// SPDX-License-Identifier: GPL-3.0-or-later

/// How far an export is.
public struct ExportProgress: Sendable, Equatable {
    /// Assets dealt with: copied, already there or failed.
    public let done: Int
    /// What the export was asked for.
    public let total: Int
    /// Of the copies written.
    public let bytes: Int64
}

/// How an export went.
public struct ExportReport: Sendable {
    /// An asset that was not exported, by its file name or by what the caller asked for.
    public struct Failure: Sendable {
        /// The asset's file name, or what the caller asked for.
        public let name: String
        /// Whether it is no asset that the library knows.
        public let isUnknown: Bool
        /// Why it was not exported.
        public let error: LibraryError
    }

    /// The path of the manifest, where one was asked for.
    public internal(set) var manifest: String?
    /// Paths written, below the export's folder.
    public internal(set) var exported: [String] = []
    /// Those that were there with the same content.
    public internal(set) var skipped: [String] = []
    /// Assets that were not exported, with the reason.
    public internal(set) var failures: [Failure] = []
    /// Of the copies written.
    public internal(set) var bytes: Int64 = 0
}
