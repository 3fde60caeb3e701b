// SPDX-License-Identifier: GPL-3.0-or-later

/// The progress of an export.
public struct ExportProgress: Sendable, Equatable {
    /// The number of assets that were copied, were there already, or failed.
    public let done: Int
    /// The expected number of assets.
    public let total: Int
    /// The size of the copies written so far.
    public let bytes: Int64
}

/// A count of elements, with the first of them.
public struct ExportTally<Element: Sendable>: Sendable {
    /// The maximum number of elements in ``named``.
    public static var most: Int { 500 }

    /// The number of all elements.
    public private(set) var count = 0
    /// The first elements, at most ``most``.
    public private(set) var named: [Element] = []
    /// Whether there are no elements.
    public var isEmpty: Bool { count == 0 }

    mutating func add(_ element: Element) {
        count += 1
        if named.count < Self.most { named.append(element) }
    }
}

/// The result of an export.
public struct ExportReport: Sendable {
    /// An asset that was not exported.
    public struct Failure: Sendable {
        /// The asset's file name, or the name that the caller gave.
        public let name: String
        /// Whether the library knows no such asset.
        public let isUnknown: Bool
        /// The reason for the failure.
        public let error: LibraryError
    }

    /// The path of the manifest, if one was written.
    public internal(set) var manifest: String?
    /// The files that were written, as paths below the export's folder.
    public internal(set) var exported = ExportTally<String>()
    /// The files that were already there with the same content.
    public internal(set) var skipped = ExportTally<String>()
    /// Earlier copies with outdated metadata, which stay; see ``ExportOptions/updatesWords``.
    public internal(set) var outdated = ExportTally<String>()
    /// Earlier copies that were replaced by copies with new metadata.
    public internal(set) var updated = ExportTally<String>()
    /// The assets that were not exported, with the reason.
    public internal(set) var failures = ExportTally<Failure>()
    /// The number of failures that are no asset of the library.
    public internal(set) var unknown = 0
    /// The size of the copies written.
    public internal(set) var bytes: Int64 = 0
}
