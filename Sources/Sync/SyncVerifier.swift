// SPDX-License-Identifier: GPL-3.0-or-later

internal import Hashing
internal import Library
internal import LinuxIO
internal import Network

/// Proves what a remote has.
struct SyncVerifier: Sendable {
    let rclone: Rclone
    let device: String
    let hash: RemoteHash

    /// Returns for each object whether the remote has the bytes that the library holds.
    /// - Parameter deep: Reads every object back.
    func verify(_ objects: [SyncObject], deep: Bool = false) async -> [SyncReport] {
        if rclone.isFolder { settle(objects) }
        let asked = deep ? [] : objects.filter { hash.proves($0) }
        let read = deep ? objects : objects.filter { !hash.proves($0) }
        var reports = await compare(asked, hash.kind, downloading: false)
        // A remote may give a wrong hash for a right object: its bytes decide.
        let doubted = reports.filter { $0.failure?.code == SyncFailure.differs }.map(\.key)
        reports.removeAll { doubted.contains($0.key) }
        return reports
            + (await compare(
                read + asked.filter { doubted.contains($0.key) }, .sha256, downloading: true))
    }

    /// Brings what was copied into a folder to its medium, so that it is read back from there.
    private func settle(_ objects: [SyncObject]) {
        let folder = "\(rclone.location)/\(device)"
        // If either fails, reading the objects fails, too, or shows what the medium has.
        try? FileTree.synchronizeFileSystem(of: folder)
        for object in objects { try? FileTree.dropCache(of: "\(folder)/\(object.key)") }
    }

    /// Compares the hashes of the library's bytes and of the remote's.
    private func compare(
        _ objects: [SyncObject], _ kind: FileHash, downloading: Bool
    ) async -> [SyncReport] {
        guard !objects.isEmpty else { return [] }
        let bytes = objects.reduce(0) { $0 + $1.bytes }
        do throws(SyncFailure) {
            let (found, complaints) = try await rclone.hashes(
                of: objects.map(\.key), in: device, kind.rawValue, bytes: bytes,
                downloading: downloading)
            return objects.map { object in
                do throws(SyncFailure) {
                    guard let there = found[object.key] else {
                        throw complaints.isEmpty
                            ? SyncFailure(
                                SyncFailure.absent, "\(object.key) is not at the remote",
                                next: "It is sent again.")
                            : complaints.failure(for: object.key)
                    }
                    guard there == (try expected(object, kind)) else {
                        throw SyncFailure(
                            SyncFailure.differs,
                            "\(object.key) is not at the remote as it was sent",
                            next: "It is sent again.")
                    }
                    return SyncReport(verified: object)
                } catch {
                    return SyncReport(object, error)
                }
            }
        } catch {
            return objects.map { SyncReport($0, error) }
        }
    }

    /// Returns the hash of the library's bytes, which must still be those that were stored.
    private func expected(
        _ object: SyncObject, _ kind: FileHash
    ) throws(SyncFailure) -> String {
        if kind == .sha256 { return object.sha256 }
        let hashes: [FileHash: String]
        do {
            if let content = object.content {
                hashes = FileHash.hashes(of: content, [.sha256, kind])
            } else {
                hashes = try FileHash.hashes(ofFile: object.file ?? "", [.sha256, kind])
            }
        } catch {
            throw SyncFailure(
                "sync.unreadable", "\(object.key): \(error)",
                next: "See what the library lacks: vitrine library verify")
        }
        guard hashes[.sha256] == object.sha256 else {
            throw SyncFailure(
                "sync.damaged", "\(object.key) is not what the library stored",
                next: "See what is damaged: vitrine library verify --deep")
        }
        return hashes[kind] ?? ""
    }
}

/// The hash by which a remote can prove its objects.
struct RemoteHash: Sendable {
    /// SHA-256 is of the bytes read back if the remote has no hash.
    let kind: FileHash
    private let isOffered: Bool

    init(of rclone: Rclone) async throws(SyncFailure) {
        let names = try await rclone.hashNames()
        let offered = [FileHash.sha256, .sha1, .md5].first { names.contains($0.rawValue) }
        (kind, isOffered) = (offered ?? .sha256, offered != nil)
    }

    /// Whether this hash of the object's own bytes can be computed here, and proves something.
    func proves(_ object: SyncObject) -> Bool {
        isOffered && object.bytes <= Rclone.wholeUpload
            && (kind == .sha256 || object.file != nil || object.content != nil)
    }
}

extension SyncFailure {
    private static let ofObjects: Set = [
        absent, differs, lost, "sync.damaged", "sync.failed", "sync.staging", "sync.unreadable",
    ]

    /// Names the reason why a rendition cannot be made.
    init(rendering key: String, _ error: LibraryError) {
        let isDamaged = error.code == .damaged
        self.init(
            isDamaged ? "sync.damaged" : "sync.unreadable", "\(key): \(error)",
            next: isDamaged
                ? "See what is damaged: vitrine library verify --deep"
                : "See the photo: vitrine library show \(SyncObject.asset(ofKey: key))")
    }

    /// Whether every other object would fail for the same reason.
    var isOfRemote: Bool { !Self.ofObjects.contains(code) }
}

extension SyncReport {
    init(verified object: SyncObject) {
        self.init(object, .verified(bytes: object.bytes, sha256: object.sha256))
    }

    /// Reports a failure, after which the object waits for a random time.
    init(_ object: SyncObject, _ failure: SyncFailure) {
        var generator = SystemRandomNumberGenerator()
        let delay = Backoff.standard.delay(attempts: object.attempts + 1, using: &generator)
        self.init(object, .failed(failure, retryAfterSeconds: delay))
    }

    /// The same report of an object that does not wait after its failure.
    var dueAtOnce: SyncReport {
        guard case .failed(let failure, _) = outcome else { return self }
        return SyncReport(key: key, version: version, .failed(failure, retryAfterSeconds: 0))
    }

    /// The same report of a file that the library does not have either.
    func lost(_ failure: SyncFailure) -> SyncReport {
        let lost = SyncFailure(
            SyncFailure.lost, "\(failure.message), and the library has no copy",
            next: "Put a copy of the file there, if one exists. The library has a small picture: "
                + "vitrine library picture \(SyncObject.asset(ofKey: key)) small.jpg")
        return SyncReport(key: key, version: version, .failed(lost, retryAfterSeconds: 0))
    }

    var failure: SyncFailure? {
        if case .failed(let failure, _) = outcome { failure } else { nil }
    }
}
