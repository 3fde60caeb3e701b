// SPDX-License-Identifier: GPL-3.0-or-later

/// Something in a library's folder that is not as it should be.
public struct LibraryFinding: Hashable, Sendable, Codable {
    /// What it is.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// SQLite finds the database damaged.
        case database
        /// A size that the database keeps is not what counting gives, or a row belongs to nothing.
        case count
        /// An asset's original, or the RAW beside it, is not there.
        case missing
        /// Likewise, it is not what was stored.
        case damaged
        /// An original that belongs to no asset, or a RAW that its photo does not know.
        case orphan
        /// Something in the library's folders that is not the library's.
        case foreign
        /// A file that was being written when a crash came.
        case leftover
        /// A thumbnail or another derived picture that is damaged, or no asset's.
        case thumbnail
    }

    /// What can be done about it without losing anything.
    public enum Repair: String, Hashable, Sendable, Codable, CaseIterable {
        /// Make an asset of it, or put it beside its photo.
        case adopt
        /// Put the good copy that was found back in its place.
        case restore
        /// Move the file to the folder quarantine/.
        case quarantine
        /// Count again; take away rows that belong to nothing.
        case recount
        /// Take it away: it is made again when it is wanted.
        case remake
    }

    /// What it is.
    public let kind: Kind
    /// ``Asset/sequence`` of the asset that it is about, if any.
    public let asset: Int64?
    /// Where it is, below the library's folder; `nil` for what is in the database, and for names that are not UTF-8.
    public let path: String?
    /// What is wrong, in one line.
    public let message: String
    /// What ``AssetLibrary/repair(_:)`` does about it; `nil` when only a person can.
    public let repair: Repair?
    /// For ``Repair/restore``: where the good copy is, below the library's folder.
    public let source: String?

    /// Of a database that cannot be opened.
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

/// What looking through a library gave.
public struct LibraryVerification: Hashable, Sendable, Codable {
    /// Assets whose originals were looked for.
    public internal(set) var assets = 0
    /// Files that were looked at.
    public internal(set) var files = 0
    /// Of originals that were read and hashed.
    public internal(set) var bytesRead: Int64 = 0
    /// What is not as it should be.
    public internal(set) var findings: [LibraryFinding] = []
}

/// What became of one finding.
public struct RepairOutcome: Hashable, Sendable, Codable {
    /// How it ended.
    public enum Result: String, Hashable, Sendable, Codable {
        case repaired
        /// It was not so any more when it was looked at again.
        case goneMeanwhile
        /// Nothing was changed; ``RepairOutcome/message`` says why.
        case failed
    }

    /// What it was about.
    public let finding: LibraryFinding
    /// How it ended.
    public let result: Result
    /// What was done, or why not.
    public let message: String
}
