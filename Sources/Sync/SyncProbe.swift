// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
package import Library
internal import LinuxIO
internal import Settings

/// Tries a remote with an object that is written, read back and deleted.
package struct SyncProbe {
    let rclone: Rclone
    let remote: SyncRemote
    /// A folder for the object on its way.
    let records: String

    package init(rclone: Rclone, remote: SyncRemote, records: String) {
        self.rclone = rclone
        self.remote = remote
        self.records = records
    }

    /// The outcome for a remote that works.
    package struct Success: Sendable {
        /// Whether the remote proves its objects by a hash; otherwise they are read back.
        package let hasHashes: Bool
        /// The seconds for writing, reading and deleting a small object.
        package let seconds: Double
    }

    /// Runs the probe.
    /// - Throws: What does not work: the remote cannot be reached or written, keeps something else
    ///   than was sent, or does not delete.
    package func run() async throws(SyncFailure) -> Success {
        let start = Clock.monotonic
        try SyncPass.requireFolder(rclone)
        let hash = try await RemoteHash(of: rclone)
        let key = "probes/\(UUID().uuidString).txt"
        let object = SyncObject(probe: key, Data("vitrine probe \(key)\n".utf8))
        let sender = SyncSender(
            remote: remote, rclone: rclone, deletion: .mirror, foreign: nil, records: records)
        let sent = await sender.send([object]).reports
        if let failure = sent.compactMap(\.failure).first { throw failure }
        let verifier = SyncVerifier(rclone: rclone, device: remote.device, hash: hash)
        // The remote's word, and its bytes.
        var reports = await verifier.verify([object])
        reports += await verifier.verify([object], deep: true)
        let complaints = try await rclone.delete([key], in: remote.device)
        await rclone.removeFolder("probes", in: remote.device)
        if let failure = reports.compactMap(\.failure).first { throw failure }
        guard complaints.isEmpty else { throw complaints.failure(for: key) }
        return Success(
            hasHashes: hash.proves(object), seconds: Double(Clock.monotonic - start) / 1e9)
    }
}
