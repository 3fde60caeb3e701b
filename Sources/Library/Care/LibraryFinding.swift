// SPDX-License-Identifier: GPL-3.0-or-later

/// A problem in a library's folder or database.
public struct LibraryFinding: Hashable, Sendable, Codable {
    /// The kind of a problem.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// SQLite finds the database damaged.
        case database
        /// A count that the database keeps is wrong, or a row belongs to nothing.
        case count
        /// An asset's original or RAW is missing.
        case missing
        /// An asset's original or RAW does not have the content that was stored.
        case damaged
        /// An original belongs to no asset, or a RAW is not recorded with its photo.
        case orphan
        /// A file or folder is not the library's.
        case foreign
        /// A crash interrupted the writing of a file.
        case leftover
        /// A thumbnail or another derived picture is damaged or belongs to no asset.
        case thumbnail
    }

    /// A repair that loses no data.
    public enum Repair: String, Hashable, Sendable, Codable, CaseIterable {
        /// Make an asset of the original, or attach the RAW to its photo.
        case adopt
        /// Move the good copy that was found back to the file's place.
        case restore
        /// Move the file to the folder quarantine/.
        case quarantine
        /// Count again, and delete rows that belong to nothing.
        case recount
        /// Delete the picture, which is made again on demand.
        case remake
    }

    /// The kind of the problem.
    public let kind: Kind
    /// The ``Asset/sequence`` of the affected asset, if any.
    public let asset: Int64?
    /// The path, relative to the library; `nil` for the database and names that are not UTF-8.
    public let path: String?
    /// A description of the problem, in one line.
    public let message: String
    /// The repair that ``AssetLibrary/repair(_:)`` makes; `nil` if only a person can help.
    public let repair: Repair?
    /// The path of the good copy for ``Repair/restore``, relative to the library.
    public let source: String?

    /// Creates a finding for a database that cannot be opened.
    package init(damagedDatabase message: String) { self.init(.database, message) }

    init(
        _ kind: Kind, asset: Int64? = nil, path: String? = nil, _ message: String,
        repair: Repair? = nil, source: String? = nil
    ) {
        self.kind = kind
        self.asset = asset
        self.path = path
        self.message = message
        self.repair = repair
        self.source = source
    }

    package func restoring(from source: String) -> LibraryFinding {
        LibraryFinding(
            kind, asset: asset, path: path, message, repair: .restore, source: source)
    }
}

/// The result of checking a library.
public struct LibraryVerification: Hashable, Sendable, Codable {
    /// The number of assets whose files were checked.
    public internal(set) var assets = 0
    /// The number of files that were checked in the day folders.
    public internal(set) var files = 0
    /// The size of the originals and RAWs that were read and hashed.
    public internal(set) var bytesRead: Int64 = 0
    /// The problems that were found.
    public internal(set) var findings: [LibraryFinding] = []
}

/// The outcome of one repair.
public struct RepairOutcome: Hashable, Sendable, Codable {
    /// The result of a repair.
    public enum Result: String, Hashable, Sendable, Codable {
        case repaired
        case goneMeanwhile
        /// The repair failed; ``RepairOutcome/message`` says why.
        case failed
    }

    /// The finding that the repair was for.
    public let finding: LibraryFinding
    /// The result of the repair.
    public let result: Result
    /// The action that was taken, or the reason why it failed.
    public let message: String
}
