// SPDX-License-Identifier: GPL-3.0-or-later

package import FoundationEssentials

/// The record of what a remote shall have and of what is proven to be there. The library that this
/// process has open is one, and so is that of the running appliance.
package protocol SyncLedger {
    /// Makes `remote` the current one, and queues again what an interrupted run was sending.
    /// - Parameter renditions: Whether the remote wants edited photos as a person sees them, too.
    /// - Throws: `readOnly`, `closed`, `io`; `sync.busy` while another process syncs.
    func beginSync(with remote: SyncRemote, renditions: Bool) async throws

    /// Ends a run, so that another process may begin one.
    func endSync() async throws

    /// Returns objects of one kind that are due, and marks them as being sent. Originals and RAWs
    /// come first, then renditions, the side-cars of verified originals, and the manifests of days.
    /// - Parameter limit: The most objects. Fewer come if they are large.
    /// - Returns: No object if nothing is due.
    /// - Throws: `readOnly`, `closed`, `io`.
    func nextObjects(
        for remote: SyncRemote, limit: Int
    ) async throws -> [SyncObject]

    /// Records what became of objects.
    /// - Throws: `readOnly`, `closed`, `io`.
    func record(
        _ reports: [SyncReport], for remote: SyncRemote
    ) async throws

    /// Makes failed objects due at once.
    /// - Throws: `readOnly`, `closed`, `io`.
    func retryFailed(for remote: SyncRemote) async throws

    /// Returns objects of the ledger in the order of their keys, from the first key after `key` on.
    /// - Parameter limit: The most entries.
    /// - Throws: `closed`, `io`.
    func syncEntries(
        of remote: SyncRemote, after key: String, limit: Int
    ) async throws -> [SyncEntry]

    /// Returns how far the remote is.
    /// - Throws: `closed`, `io`.
    func syncProgress(of remote: SyncRemote) async throws -> SyncProgress

    /// Returns the objects from which an asset's original and RAW come back.
    /// - Parameter id: The asset's id, its beginning, or its sequence number.
    /// - Throws: `notFound`, also if another remote has them; `ambiguous`, `closed`, `io`.
    func returningObjects(of id: String, at remote: SyncRemote) async throws -> SyncReturn

    /// Puts a file of an asset back in its place. Once all are back, the asset is here again.
    /// - Parameters:
    ///   - path: A copy that this process can read.
    ///   - sha256: Its hash, lower-case hexadecimal.
    /// - Throws: `damaged` if it is no file of the asset; `notFound`, `full`, `readOnly`, `closed`,
    ///   `io`.
    func putBack(_ path: String, sha256: String, of asset: UUID) async throws

    /// Pauses the service for a remote, or lets it go on. Survives a restart.
    /// - Throws: `readOnly`, `closed`, `io`.
    func setSyncPaused(_ isPaused: Bool, of remote: SyncRemote) async throws
}

/// The objects from which an asset's files come back.
package struct SyncReturn: Hashable, Sendable, Codable {
    /// The asset's id.
    package let asset: UUID
    /// The objects; none if the files are here.
    package let objects: [SyncEntry]
}

extension SyncLedger {
    // A library that this process has opened has no other user.
    package func endSync() async throws {}
}
