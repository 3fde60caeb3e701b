// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import LinuxIO
import Media
import Settings
import Sync
import TestSupport
import Testing

/// A library with photos, and a folder that is its remote.
final class Kiosk: Sendable {
    let folder: TemporaryFolder
    let library: AssetLibrary
    let settings: SyncSettings
    let remote: SyncRemote
    var remoteFolder: String { folder.path(of: "remote") }

    init(deletion: SyncSettings.Deletion = .keep, renditions: Bool = false) async throws {
        folder = try TemporaryFolder()
        library = try await AssetLibrary.open(
            at: folder.path(of: "library"), reserveMegabytes: 0)
        var settings = SyncSettings()
        (settings.deletion, settings.sendsRenditions) = (deletion, renditions)
        self.settings = settings
        remote = SyncRemote(location: folder.path(of: "remote"), device: "kiosk")
        try FileManager.default.createDirectory(
            atPath: remote.location, withIntermediateDirectories: true)
    }

    /// Takes photos, all on the same day.
    /// - Parameter size: `nil` for files that only begin like a picture.
    func take(_ count: Int, of size: Dimensions? = nil) async throws -> [Asset] {
        var assets: [Asset] = []
        for _ in 0..<count {
            assets.append(
                try await library.add(
                    FinishedPhoto(
                        id: UUID(), chunks: [try size.map(picture) ?? Self.beginning()],
                        width: size?.width ?? 64, height: size?.height ?? 48, orientation: 1,
                        createdAt: WallTime(
                            nanoseconds: 1_795_347_005_123_456_789, utcOffsetSeconds: 3600),
                        timeConfidence: .synchronized, bootID: "boot", boottime: 1,
                        frameSequence: 1, shutterOffsetMicroseconds: 0,
                        shutterReference: .frameTimestamp, deviceName: "camera", sessionID: nil,
                        thumbnail: nil)))
        }
        return assets
    }

    private static func beginning() -> [UInt8] {
        [
            0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC0, 0, 11, 8, 0, 48, 0, 64, 1, 1, 0x11, 0,
        ] + (0..<5000).map { _ in UInt8.random(in: 0...254) } + [0xFF, 0xD9]
    }

    /// Returns a JPEG file of noise.
    private func picture(_ size: Dimensions) throws -> [UInt8] {
        let file = folder.path(of: "noise.jpg")
        let outcome = try Program.run(
            "ffmpeg",
            [
                "-y", "-loglevel", "error", "-f", "lavfi", "-i",
                "nullsrc=s=\(size),geq=random(1)*255:128:128", "-frames:v", "1", file,
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        return Array(try Data(contentsOf: URL(filePath: file)))
    }

    /// Returns the names of the pictures that stayed when originals went.
    func previews() throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: folder.path(of: "library/derived/previews"))
    }

    func sync(
        with other: SyncRemote? = nil, _ given: SyncSettings? = nil, configuration: String? = nil,
        verifies: Bool = true,
        mountTable: String = "/etc/fstab"
    ) async throws -> SyncSummary {
        let remote = other ?? remote
        return try await SyncPass(
            ledger: library, remote: remote,
            rclone: Rclone(location: remote.location, configuration: configuration),
            settings: given ?? settings, records: folder.path(of: "records"), verifies: verifies,
            mountTable: mountTable
        ).run()
    }

    /// Checks the remote by reading everything back. Returns the codes of failures by key.
    func check() async throws -> [String: String] {
        var wrong: [String: String] = [:]
        _ = try await SyncCheck(
            ledger: library, remote: remote,
            rclone: Rclone(location: remote.location, configuration: nil)
        ).run(deep: true, since: nil) { wrong[$0] = $1.code }
        return wrong
    }

    func progress(of other: SyncRemote? = nil) async throws -> SyncProgress {
        try await library.syncProgress(of: other ?? remote)
    }

    /// Returns the bytes of an object at the remote.
    func arrived(_ key: String) throws -> [UInt8] {
        try folder.contents(of: "remote/kiosk/\(key)")
    }

    /// Returns the SHA-256 of an object at the remote, as sha256sum computes it.
    func hash(_ key: String) throws -> String {
        let outcome = try Program.run("sha256sum", ["\(remoteFolder)/kiosk/\(key)"])
        return String(outcome.output.prefix(64))
    }

    /// Returns the paths of all files at the remote.
    func files() throws -> [String] {
        let found = try Program.run("find", [remoteFolder, "-type", "f", "-printf", "%P\\n"])
        return found.output.split(separator: "\n").map(String.init)
    }
}

/// rclone's own WebDAV server for a folder. It keeps its port when it is started again.
final class WebDAVServer {
    /// The remote's name in ``configuration``.
    let remote = "dav:"
    let configuration: String
    private let files: TemporaryFolder
    private let folder: String
    private var address = "127.0.0.1:0"
    private var process: ChildProcess?

    init(of folder: String) throws {
        files = try TemporaryFolder()
        configuration = files.path(of: "rclone.conf")
        self.folder = folder
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try start()
        try files.write(
            "[dav]\ntype = webdav\nurl = http://\(address)\nvendor = other\n".utf8,
            to: "rclone.conf")
    }

    deinit { stop() }

    func start() throws {
        process = try ChildProcess(
            "/usr/bin/rclone", ["serve", "webdav", folder, "--addr", address],
            environment: ["PATH": "/usr/bin", "HOME": files.path, "RCLONE_CONFIG": "/dev/null"],
            output: files.path(of: "output"), errors: files.path(of: "errors"))
        try blockUntil {
            let log = String(decoding: try files.contents(of: "errors"), as: UTF8.self)
            guard let place = log.range(of: "started on http://") else { return false }
            address = String(log[place.upperBound...].prefix { $0 != "/" })
            return log[place.upperBound...].contains("/")
        }
    }

    func stop() {
        process?.terminate()
        _ = process?.wait()
        process = nil
    }
}
