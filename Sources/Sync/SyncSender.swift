// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Library
internal import LinuxIO
internal import Settings

/// Sends objects, and handles those of purged assets. It needs no ledger, so that the ledger is
/// asked meanwhile.
struct SyncSender: Sendable {
    let remote: SyncRemote
    let rclone: Rclone
    let deletion: SyncSettings.Deletion
    /// Reads photos that are no JPEGs, for their renditions.
    let foreign: (any ForeignPictures)?
    /// A folder for what is no file of the library, on its way.
    let records: String

    /// Returns reports of what failed, was sent or is gone, and the objects to be verified.
    func send(
        _ objects: [SyncObject]
    ) async -> (reports: [SyncReport], sent: [SyncObject]) {
        let gone = objects.filter(\.isGone)
        let (files, contents) = (
            objects.filter { !$0.isGone && $0.file != nil },
            objects.filter { !$0.isGone && $0.file == nil }
        )
        var reports = await remove(gone.filter { $0.goal == .asPolicySays }, deletion)
        reports += await remove(gone.filter { $0.goal == .erased }, .mirror)
        var sent: [SyncObject] = []
        do throws(SyncFailure) {
            // The file's path ends with its key, below the library's folder.
            if let first = files.first, let file = first.file {
                let root = String(file.dropLast(first.key.utf8.count + 1))
                sent += try await copy(files, from: root, &reports)
            }
            if !contents.isEmpty {
                let folder = "\(records)/\(UUID().uuidString)"
                defer {
                    try? FileManager.default.removeItem(atPath: folder)
                    try? FileTree.removeDirectory(records)
                }
                let written = try await write(contents, below: folder, &reports)
                sent += try await copy(written, from: folder, &reports)
            }
        } catch {
            let handled = Set(reports.map(\.key)).union(sent.map(\.key))
            for object in objects where !handled.contains(object.key) {
                reports.append(SyncReport(object, error))
            }
        }
        return (reports, sent)
    }

    /// Writes contents into a folder, and makes the renditions among them. Returns what is there.
    private func write(
        _ objects: [SyncObject], below folder: String, _ reports: inout [SyncReport]
    ) async throws(SyncFailure) -> [SyncObject] {
        var written: [SyncObject] = []
        do {
            // Captions are not for other users.
            try FileTree.makeDirectory(records)
            for object in objects {
                let file = URL(filePath: "\(folder)/\(object.key)")
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                guard let photo = object.photo else {
                    try (object.content ?? Data()).write(to: file)
                    written.append(object)
                    continue
                }
                do {
                    let (made, jpeg) = try await object.rendered(photo, foreign)
                    try Data(jpeg.joined()).write(to: file)
                    written.append(made)
                } catch let error as LibraryError {
                    reports.append(SyncReport(object, SyncFailure(rendering: object.key, error)))
                }
            }
        } catch {
            throw SyncFailure(
                "sync.staging", "\(folder): \(error)", next: "Make room in that folder.")
        }
        return written
    }

    private func copy(
        _ objects: [SyncObject], from folder: String, _ reports: inout [SyncReport]
    ) async throws(SyncFailure) -> [SyncObject] {
        let bytes = objects.reduce(0) { $0 + $1.bytes }
        // The first attempt finds nothing there. Later ones do not send again what has arrived, but
        // rclone would leave an object of the right size, if the remote has no hashes.
        let existing: Rclone.Existing =
            objects.contains(where: \.isOther)
            ? .replaced : objects.contains { $0.attempts > 0 } ? .keptIfSame : .replacedUnseen
        let complaints = try await rclone.copy(
            objects.map(\.key), from: folder, to: remote.device, bytes: bytes, existing)
        var sent: [SyncObject] = []
        for object in objects {
            if complaints.concerns(object.key) {
                reports.append(SyncReport(object, complaints.failure(for: object.key)))
            } else {
                sent.append(object)
                reports.append(SyncReport(object, .sent))
            }
        }
        return sent
    }

    // MARK: - Deletions

    private func remove(
        _ objects: [SyncObject], _ deletion: SyncSettings.Deletion
    ) async -> [SyncReport] {
        guard !objects.isEmpty else { return [] }
        let keys = objects.map(\.key)
        do throws(SyncFailure) {
            let complaints: RcloneComplaints
            switch deletion {
            case .keep: return objects.map { SyncReport($0, .kept) }
            case .trash: complaints = try await rclone.trash(keys, in: remote.device)
            case .mirror: complaints = try await rclone.delete(keys, in: remote.device)
            }
            return objects.map { object in
                complaints.isEmpty
                    ? SyncReport(object, .removed)
                    : SyncReport(object, complaints.failure(for: object.key))
            }
        } catch {
            return objects.map { SyncReport($0, error) }
        }
    }
}
