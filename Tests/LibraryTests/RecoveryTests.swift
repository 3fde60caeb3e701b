// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import Testing

@Suite("opening the library")
struct RecoveryTests {
    /// Leaves a library as a crash does, without closing it. Returns the ids of its photos.
    private func crashed(_ folder: LibraryFolder) async throws -> [String] {
        let process = try RunningCommand([helper, "add", folder.root, "100000", "20000"])
        try await process.wait(for: 1, "saved")
        _ = process.kill()
        return await process.finish().saved.map(\.id)
    }

    @Test("opening a library in use tells which process holds it and what to do")
    func busy() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let error = await #expect(throws: LibraryError.self) { _ = try await folder.open() }
        #expect(error?.code == .busy)
        #expect(
            error?.message
                == "library \(folder.root): in use by process \(getpid()): ask it over its "
                + "control socket, or stop it")
        // Another process gets the same answer. A child process does not inherit the lock.
        let other = try await command([helper, "open", folder.root])
        #expect(other.status == 1)
        #expect(other.output.contains("in use by process \(getpid())"))
        await library.close()
        #expect(try await command([helper, "open", folder.root]).status == 0)
    }

    @Test("a missing, read-only or forbidden folder, or a file, is refused with the reason")
    func unusable() async throws {
        let folder = try LibraryFolder()
        let missing = await #expect(throws: LibraryError.self) {
            _ = try await AssetLibrary.open(at: folder.path + "/no/such")
        }
        #expect(missing?.code == .notFound)
        #expect(missing?.message.contains("mount the medium") == true)
        try folder.write([1], to: folder.path + "/file")
        let file = await #expect(throws: LibraryError.self) {
            _ = try await AssetLibrary.open(at: folder.path + "/file")
        }
        #expect(file?.message.contains("Not a directory") == true)
        let readOnly = try await command(
            [
                "unshare", "--map-root-user", "--mount", "sh", "-c",
                """
                mount -t tmpfs tmpfs \(folder.path) && mkdir \(folder.path)/root &&
                mount -o remount,ro tmpfs \(folder.path) && \(helper) open \(folder.path)/root
                """,
            ])
        #expect(readOnly.output.contains("Read-only file system: mount the file system for writ"))
        if getuid() != 0 {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o500], ofItemAtPath: folder.path)
            let denied = await #expect(throws: LibraryError.self) { _ = try await folder.open() }
            #expect(denied?.code == .permission)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o700], ofItemAtPath: folder.path)
        } else {
            // Root may do all of this, so the helper runs as an unprivileged user.
            let denied = try await command(
                ["setpriv", "--reuid=65534", "--clear-groups", helper, "open", "/root/library"])
            #expect(denied.output.contains("Permission denied"))
        }
    }

    @Test("a named original without a row is adopted with the properties of its file")
    func adoption() async throws {
        let folder = try LibraryFolder()
        _ = try await crashed(folder)
        let day = try #require(
            try await command(["find", folder.root + "/originals", "-mindepth", "3", "-type", "d"])
                .lines.first)
        let id = UUID()
        let content = jpeg(width: 320, height: 240)
        try folder.write(content, to: "\(day)/\(id.uuidString.lowercased()).jpg")
        try folder.write([1, 2], to: "\(day)/holiday.jpg")
        try folder.write([], to: "\(day)/\(UUID().uuidString.lowercased()).jpg")
        try folder.write([1], to: folder.root + "/incoming/\(id.uuidString.lowercased()).part")
        try folder.write([1], to: folder.root + "/incoming/clip.mp4")
        let before = try await folder.originals()

        let library = try await folder.open()
        #expect(await library.recovery.adopted.contains(id))
        #expect(await library.recovery.foreign.count == 2)
        #expect(await library.recovery.leftoversRemoved == 1)
        #expect(try folder.names(folder.root + "/incoming") == ["clip.mp4"])
        let asset = try await library.asset(id: id.uuidString)
        #expect(asset.recovered)
        #expect(asset.bytes == content.count)
        #expect(asset.sha256 == before[id.uuidString.lowercased()])
        #expect(asset.width == 320)
        #expect(asset.height == 240)
        #expect(asset.timeConfidence == .unknown)
        #expect(asset.shutterOffsetMicroseconds == nil)
        let modified = try #require(
            try await command(["stat", "-c", "%Y", "\(day)/\(id.uuidString.lowercased()).jpg"])
                .lines.first)
        #expect("\(asset.createdAt.nanoseconds / 1_000_000_000)" == modified)
        #expect(try await folder.originals() == before)
        #expect(try await folder.sqlite("SELECT count(*) FROM ingest_day") == ["0"])
        await library.close()

        let again = try await folder.open()
        #expect(await again.recovery == AssetLibrary.Recovery())
        await again.close()
    }

    @Test("an unreadable original stays noted until it can be read")
    func unreadable() async throws {
        let folder = try LibraryFolder()
        _ = try await crashed(folder)
        let day = try #require(
            try await command(["find", folder.root + "/originals", "-mindepth", "3", "-type", "d"])
                .lines.first)
        let id = UUID()
        let path = "\(day)/\(id.uuidString.lowercased()).jpg"
        try folder.write(jpeg(), to: path)
        // This run adds photos and closes the library.
        let (_, result) = try await traced(
            "openat", ["add", folder.root, "2", "20000"], inject: ["openat:error=EIO"],
            paths: [path])
        #expect(result.saved.count == 2)
        #expect(try await folder.sqlite("SELECT count(*) FROM ingest_day") == ["1"])
        let again = try await folder.open()
        #expect(try await again.asset(id: id.uuidString).recovered)
        await again.close()
        #expect(try await folder.sqlite("SELECT count(*) FROM ingest_day") == ["0"])
    }

    @Test("an adopted photo has the time and orientation of its EXIF")
    func adoptedExif() async throws {
        let folder = try LibraryFolder()
        _ = try await crashed(folder)
        let day = try #require(
            try await command(["find", folder.root + "/originals", "-mindepth", "3", "-type", "d"])
                .lines.first)
        var ids: [UUID] = []
        for isOwn in [true, false] {
            let id = UUID()
            ids.append(id)
            let unique = (isOwn ? id : UUID()).uuidString.filter { $0 != "-" }
            let path = "\(day)/\(id.uuidString.lowercased()).jpg"
            let made = try await command(
                [
                    "sh", "-c",
                    """
                    printf 'P5 16 8 255\\n%0128d' 0 | cjpeg > \(path) &&
                    exiftool -q -overwrite_original -n -Orientation=6 \
                        -DateTimeOriginal='2025:03:04 05:06:07' -SubSecTimeOriginal=250 \
                        -OffsetTimeOriginal=+02:00 -ImageUniqueID=\(unique) \(path)
                    """,
                ])
            try #require(made.status == 0, "needs cjpeg and exiftool: \(made.errors)")
        }
        let library = try await folder.open()
        for id in ids {
            let asset = try await library.asset(id: id.uuidString)
            #expect(asset.createdAt.description == "2025-03-04T05:06:07.250+02:00")
            // The file does not tell how reliable its clock was.
            #expect(asset.timeConfidence == .unknown)
            #expect(asset.orientation == 6)
            #expect(asset.width == 16)
            #expect(asset.height == 8)
        }
        await library.close()
    }

    @Test("a row whose file is missing is reported and kept")
    func missing() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        let asset = try await library.add(photo())
        let path = try await library.resource(id: asset.id.uuidString).path
        await library.close()
        try FileManager.default.removeItem(atPath: path)
        let again = try await folder.open()
        #expect(await again.recovery.missing == [asset.id])
        #expect(try await again.assets(limit: 5) == [asset])
        await again.close()
    }

    @Test("a lost database is rebuilt from the originals")
    func lostDatabase() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for day in 0..<3 {
            let time = WallTime(
                nanoseconds: Int64(1_700_000_000 + day * 86_400) * 1_000_000_000,
                utcOffsetSeconds: 0)
            for _ in 0..<2 { try await library.add(photo(at: time)) }
        }
        let before = try await library.assets(limit: 10)
        await library.close()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.root + "/library.sqlite" + suffix)
        }
        let again = try await folder.open()
        let after = try await again.assets(limit: 10)
        #expect(Set(after.map(\.id)) == Set(before.map(\.id)))
        #expect(Set(after.map(\.sha256)) == Set(before.map(\.sha256)))
        // The folder's date is kept, although the files were written today.
        #expect(
            Set(after.map { $0.createdAt.description.prefix(10) })
                == Set(before.map { $0.createdAt.description.prefix(10) }))
        await again.close()
    }

    @Test("a lost database is rebuilt in the background, across a crash, each original once")
    func lostDatabaseInBackground() async throws {
        let folder = try LibraryFolder()
        try await folder.open().close()
        // Sparse files take long to hash and need no space. Their times do not follow their names.
        var expected: [String] = []
        for day in ["2024/05/06", "2024/05/07"] {
            for number in 0..<20 {
                let id = UUID().uuidString.lowercased()
                let path = "\(folder.root)/originals/\(day)/\(id).jpg"
                try folder.write([0xFF, 0xD8], to: path)
                let file = try #require(FileHandle(forWritingAtPath: path))
                try file.truncate(atOffset: 12 << 20)
                try file.close()
                let noon = day.hasSuffix("6") ? 1_714_996_800 : 1_715_083_200
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: Double(noon + number))],
                    ofItemAtPath: path)
                expected.append(id)
            }
        }
        let process = try RunningCommand([helper, "freeze", folder.root, "3", "20000"])
        try await process.wait(for: 3, "saved")
        #expect(process.kill())
        let saved = await process.finish().saved.map(\.id)
        #expect(saved.count >= 3)
        let adopted = try await folder.sqlite("SELECT count(*) FROM asset WHERE recovered")
        #expect(adopted != ["40"], "saved before everything was taken in")

        let library = try await folder.open()
        #expect(await library.recovery.adoption != nil)
        let between = try await library.add(photo())
        let progress = try #require(await library.recovery.adoption)
        #expect(progress.done < progress.total)
        #expect(progress.total >= 40)
        let recovery = await library.recovered()
        #expect(recovery.adoption == nil)
        #expect(recovery.unreadable == [])
        let order = try await folder.sqlite(
            "SELECT id FROM asset WHERE path LIKE '2024/%' ORDER BY sequence")
        #expect(order == expected)
        let rows = try await folder.sqlite("SELECT id || ' ' || lower(hex(sha256)) FROM asset")
        #expect(rows.count == Set(rows).count)
        #expect(try await Set(folder.originals().map { "\($0.key) \($0.value)" }) == Set(rows))
        #expect(Set(rows.map { String($0.prefix(36)) }).isSuperset(of: saved))
        let last = try await library.fetchAssets(.everything).lastObject()
        #expect(try #require(last).sequence > between.sequence)
        await library.close()
        #expect(try await folder.sqlite("SELECT count(*) FROM ingest_day") == ["0"])
    }

    /// Writes a sparse original without a row.
    private func writeLongOriginal(in folder: LibraryFolder) throws -> (id: String, path: String) {
        let id = UUID().uuidString.lowercased()
        let path = "\(folder.root)/originals/2024/05/06/\(id).mp4"
        try folder.write([0], to: path)
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: 40 << 20)
        try file.close()
        return (id, path)
    }

    @Test("opening and adding photos do not wait for the adoption of a long original")
    func longOriginal() async throws {
        let folder = try LibraryFolder()
        let (id, path) = try writeLongOriginal(in: folder)
        let stop = ReadingStop()
        let library = try await folder.open(stop)
        for await read in stop.begun {
            #expect(read == path)
            break
        }
        let stored = try await library.add(photo())
        stop.letGo()
        #expect(await library.recovered().adopted.map(\.uuidString) == [id.uppercased()])
        let clip = try await library.asset(id: id)
        #expect(clip.sequence == stored.sequence + 1 && clip.bytes == 40 << 20)
        await library.close()
    }

    @Test("originals are adopted while another library's medium does not respond")
    func anothersMedium() async throws {
        let (folder, other) = (try LibraryFolder(), try LibraryFolder())
        for folder in [folder, other] { _ = try writeLongOriginal(in: folder) }
        let stop = ReadingStop()
        let library = try await folder.open(stop)
        for await _ in stop.begun { break }
        let another = try await other.open()
        #expect(await another.recovered().adopted.count == 1)
        #expect(!stop.wasLeft)
        stop.letGo()
        #expect(await library.recovered().adopted.count == 1)
        await library.close()
        await another.close()
    }

    @Test("a damaged database is refused with the repair command, and the originals stay")
    func brokenDatabase() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        try await library.add(photo())
        await library.close()
        let before = try await folder.originals()
        try folder.write(
            Array(repeating: 0x41, count: 40_000), to: folder.root + "/library.sqlite")
        let error = await #expect(throws: LibraryError.self) { _ = try await folder.open() }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("vitrine library repair") == true)
        #expect(try await folder.originals() == before)
    }

    @Test("recovery reads only the day folders that a crash can have changed")
    func boundedRecovery() async throws {
        let folder = try LibraryFolder()
        let library = try await folder.open()
        for day in 0..<20 {
            let time = WallTime(
                nanoseconds: Int64(1_600_000_000 + day * 86_400) * 1_000_000_000,
                utcOffsetSeconds: 0)
            try await library.add(photo(at: time))
        }
        await library.close()
        _ = try await crashed(folder)
        let (calls, result) = try await traced("openat", ["open", folder.root])
        #expect(result.output.contains("opened"))
        let read = calls.filter {
            $0.arguments.contains("/originals/") && $0.arguments.contains("O_DIRECTORY")
                && $0.arguments.contains("O_NONBLOCK")
        }
        #expect(read.count == 1)
    }
}
