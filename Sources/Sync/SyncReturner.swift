// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Hashing
package import Library
internal import LinuxIO

/// Brings originals back that only the remote has.
package struct SyncReturner {
    let ledger: any SyncLedger
    let remote: SyncRemote
    let rclone: Rclone
    /// A folder for files on their way.
    let staging: String

    package init(
        ledger: any SyncLedger, remote: SyncRemote, rclone: Rclone, staging: String
    ) {
        self.ledger = ledger
        self.remote = remote
        self.rclone = rclone
        self.staging = staging
    }

    /// Brings an asset's original and RAW back, and checks them.
    /// - Parameter id: The asset's id, its beginning, or its sequence number.
    /// - Returns: The bytes that came back; 0 if the files were here.
    /// - Throws: `SyncFailure`; the ledger's errors.
    package func bringBack(_ id: String) async throws -> Int64 {
        let wanted = try await ledger.returningObjects(of: id, at: remote)
        let folder = "\(staging)/\(UUID().uuidString)"
        defer {
            try? FileManager.default.removeItem(atPath: folder)
            try? FileTree.removeDirectory(staging)
        }
        var bytes: Int64 = 0
        for object in wanted.objects {
            let file = "\(folder)/\(PathName(object.key).last)"
            try await rclone.fetch(
                object.key, in: remote.device, to: file, bytes: object.bytes ?? 0)
            guard let hash = try? FileHash.hashes(ofFile: file, [.sha256])[.sha256],
                hash == object.sha256
            else {
                throw SyncFailure(
                    SyncFailure.differs, "\(object.key) is not at the remote as it was sent",
                    next: "See what else is not: vitrine sync verify --deep")
            }
            try await ledger.putBack(file, sha256: hash, of: wanted.asset)
            bytes += object.bytes ?? 0
        }
        return bytes
    }
}
