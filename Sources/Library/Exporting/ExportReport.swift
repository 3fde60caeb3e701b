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

/// How many there are, and the first of them.
public struct ExportTally<Element: Sendable>: Sendable {
    /// So many are kept at the most.
    public static var most: Int { 500 }

    /// All.
    public private(set) var count = 0
    /// The first of them, at the most ``most``.
    public private(set) var named: [Element] = []
    /// Whether there is none.
    public var isEmpty: Bool { count == 0 }

    mutating func add(_ element: Element) {
        count += 1
        if named.count < Self.most { named.append(element) }
    }
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
    public internal(set) var exported = ExportTally<String>()
    /// Those that were there with the same content.
    public internal(set) var skipped = ExportTally<String>()
    /// Copies of earlier exports whose picture is right and whose words are not the library's any more; they stay, see
    /// ``ExportOptions/updatesWords``.
    public internal(set) var outdated = ExportTally<String>()
    /// Copies of earlier exports that have new words.
    public internal(set) var updated = ExportTally<String>()
    /// Assets that were not exported, with the reason.
    public internal(set) var failures = ExportTally<Failure>()
    /// How many of them are no asset that the library knows.
    public internal(set) var unknown = 0
    /// Of the copies written.
    public internal(set) var bytes: Int64 = 0
}
