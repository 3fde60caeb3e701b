// SPDX-License-Identifier: GPL-3.0-or-later

package import FoundationEssentials
internal import Hashing
internal import LinuxIO

/// A place that gets a copy of every asset.
package struct SyncRemote: Hashable, Sendable, Codable {
    /// An absolute folder, or rclone's `NAME:PATH`.
    package let location: String
    /// The name of this kiosk's folder there.
    package let device: String

    /// Creates a remote; another location or device is another remote.
    package init(location: String, device: String) {
        self.location = location
        self.device = device
    }

    var name: String { "\(location)/\(device)" }
}

extension SyncRemote: CustomStringConvertible {
    /// The kiosk's folder at the remote.
    package var description: String { name }
}

/// An object that a remote shall have, or no longer have.
package struct SyncObject: Hashable, Sendable, Codable {
    /// The kind of content.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case original
        /// The RAW beside an original.
        case alternate
        /// An edited photo as a person sees it, a JPEG.
        case rendition
        /// An asset's JSON, with its albums.
        case sidecar
        /// A day's list of verified assets, one JSON object a line.
        case manifest
    }

    /// The fate of an object at the remote.
    package enum Goal: Int, Sendable, Codable {
        /// The remote shall have it.
        case present
        /// The asset was purged, or its edit undone: the policy for deletions decides.
        case asPolicySays
        /// The remote shall not have it, whatever the policy.
        case erased
    }

    /// The path below the kiosk's folder, such as `originals/2026/11/29/ID.jpg`.
    package let key: String
    /// The kind of content.
    package let kind: Kind
    /// The number of the content. A report about an earlier one is ignored.
    package let version: Int64
    /// The file with the content; `nil` if it is no original or RAW.
    package let file: String?
    /// The content of a side-car or manifest.
    package let content: Data?
    /// The photo that a rendition is made of. Until then ``bytes`` is the original's size, and
    /// ``sha256`` is empty.
    package let photo: AssetResource?
    /// The size of the content.
    package let bytes: Int64
    /// The SHA-256 of the content, lower-case hexadecimal.
    package let sha256: String
    /// The object's fate.
    package let goal: Goal
    /// How often it was tried before.
    package let attempts: Int
    /// Whether the remote was seen to have other bytes under the key.
    package let isOther: Bool

    init(
        _ key: String, _ kind: Kind, version: Int64 = 0, file: String? = nil, content: Data? = nil,
        photo: AssetResource? = nil, bytes: Int64 = 0, sha256: String = "", goal: Goal = .present,
        attempts: Int = 0, isOther: Bool = false
    ) {
        (self.key, self.kind, self.version) = (key, kind, version)
        (self.file, self.content, self.photo) = (file, content, photo)
        (self.bytes, self.sha256, self.goal) = (bytes, sha256, goal)
        (self.attempts, self.isOther) = (attempts, isOther)
    }
}

extension SyncObject {
    /// Whether the remote need not have the object.
    package var isGone: Bool { goal != .present }

    /// Returns the id of the asset whose object has this key; a manifest's has none.
    package static func asset(ofKey key: String) -> String { String(PathName(key).last.prefix(36)) }

    /// Creates an object that belongs to no asset.
    package init(probe key: String, _ content: Data) {
        self.init(
            key, .sidecar, content: content, bytes: Int64(content.count),
            sha256: hexadecimal(SHA256.hash([Array(content)])))
    }

    /// Describes what an entry says that the remote has; `nil` if it says nothing. Its bytes are
    /// not at hand.
    package init?(checking entry: SyncEntry) {
        guard entry.state == .verified || entry.isOnlyThere, !entry.isGone, let bytes = entry.bytes,
            let sha256 = entry.sha256
        else { return nil }
        self.init(
            entry.key, entry.kind, version: entry.version, bytes: bytes, sha256: sha256)
    }

    /// Makes a rendition, at full size and with the photo's metadata.
    /// - Parameter foreign: Reads photos that are no JPEGs.
    /// - Returns: The object with the size and hash of the JPEG, and the JPEG.
    /// - Throws: `LibraryError`: `damaged`, `unsupported`, `notFound`, `io`.
    package nonisolated(nonsending) func rendered(
        _ photo: AssetResource, _ foreign: (any ForeignPictures)?
    ) async throws(LibraryError) -> (object: SyncObject, jpeg: [[UInt8]]) {
        guard let copy = try await ExportedCopy(of: photo, ExportOptions(), foreign) else {
            throw LibraryError(.invalidValue, "asset \(photo.asset.id.text) has no edit")
        }
        let object = SyncObject(
            key, kind, version: version, bytes: Int64(copy.bytes), sha256: copy.sha256,
            attempts: attempts, isOther: isOther)
        return (object, copy.chunks)
    }
}

/// The outcome of an attempt with one object.
package struct SyncReport: Hashable, Sendable, Codable {
    /// The outcome.
    package enum Outcome: Hashable, Sendable, Codable {
        /// The remote has taken the object; nothing is proven yet.
        case sent
        /// The remote has the object with this size and this SHA-256.
        case verified(bytes: Int64, sha256: String)
        /// The asset was purged, and the remote no longer has the object.
        case removed
        /// The asset was purged, and the remote keeps the object if it has it.
        case kept
        /// The object is due again after this many seconds.
        case failed(SyncFailure, retryAfterSeconds: Int)
    }

    /// The object's key.
    package let key: String
    /// The object's version.
    package let version: Int64
    /// The outcome.
    package let outcome: Outcome

    /// Reports the outcome of an object that ``SyncLedger/nextObjects(for:limit:)`` returned.
    package init(_ object: SyncObject, _ outcome: Outcome) {
        self.init(key: object.key, version: object.version, outcome)
    }

    /// Reports the outcome of the content `version` of an object.
    package init(key: String, version: Int64, _ outcome: Outcome) {
        (self.key, self.version) = (key, version)
        self.outcome = outcome
    }
}

/// Why an object is not at the remote.
package struct SyncFailure: Error, Hashable, Sendable, Codable {
    /// A word for programs, such as `sync.unreachable`.
    package let code: String
    /// One line for a person.
    package let message: String
    /// The next step for a person.
    package let next: String

    /// The code of an object that the remote no longer has.
    package static let absent = "sync.absent"
    /// The code of an object that the remote no longer has, and neither has the library.
    package static let lost = "sync.lost"
    /// The code of an object whose bytes at the remote are not those that were sent.
    package static let differs = "sync.differs"

    /// Creates a failure.
    package init(_ code: String, _ message: String, next: String) {
        self.code = code
        self.message = message
        self.next = next
    }
}

/// A line of the ledger.
package struct SyncEntry: Hashable, Sendable, Codable {
    /// The states of an object, in their order.
    package enum State: String, Sendable, Codable {
        case queued, sending, sent, verified, failed
    }

    /// The path below the kiosk's folder.
    package let key: String
    /// The kind of content.
    package let kind: SyncObject.Kind
    /// The state of the object.
    package let state: State
    /// The number of the content; see ``SyncObject/version``.
    package let version: Int64
    /// The size that was verified last; `nil` if none was.
    package let bytes: Int64?
    /// The SHA-256 that was verified last, lower-case hexadecimal; `nil` if none was.
    package let sha256: String?
    /// When that was, in nanoseconds since 1970.
    package let verifiedAt: Int64?
    /// How often it was tried since then.
    package let attempts: Int
    /// Why the last attempt failed; `nil` if it did not.
    package let failure: SyncFailure?
    /// Whether the remote need not have it: the asset was purged, or its edit undone.
    package let isGone: Bool
    /// Whether only the remote has the asset's original and RAW.
    package let isOnlyThere: Bool
}

/// What the remote does not have. Triggers keep the numbers, so that nothing is counted.
package struct SyncBacklog: Hashable, Sendable, Codable {
    /// Assets whose original or RAW the remote does not have.
    package var pending = 0
    /// The size of their originals and RAWs.
    package var bytesPending: Int64 = 0
    /// How long the oldest of them has waited.
    package var oldestPendingSeconds: Int64?
    /// When an object was last verified.
    package var lastSuccess: WallTime?
    /// Whether the service is paused.
    package var isPaused = false

    /// Creates the backlog of an empty library.
    package init() {}
}

/// How far a remote is.
package struct SyncProgress: Hashable, Sendable, Codable {
    /// The assets that wait.
    package var backlog = SyncBacklog()
    /// Renditions, side-cars and manifests that wait.
    package var pendingRecords = 0
    /// Objects whose last attempt failed.
    package var failed = 0
    /// The last failure of an object that still waits.
    package var lastFailure: SyncFailure?

    /// Assets whose original or RAW the remote does not have.
    package var pending: Int { backlog.pending }
}
