// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import Testing

@Suite("a durable file")
struct DurableFileTests {
    /// A folder for one test, removed when its owner ends.
    final class Folder {
        let path: String
        init() throws {
            path = NSTemporaryDirectory() + "durable-" + UUID().uuidString
            try FileManager.default.createDirectory(
                atPath: path + "/incoming", withIntermediateDirectories: true)
        }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        var staging: String { path + "/incoming/new.part" }
        func names() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
        }
        func content(_ name: String) -> [UInt8]? {
            FileManager.default.contents(atPath: path + "/" + name).map(Array.init)
        }
    }

    @Test(
        "a file holds the chunks in order, and passes each to the caller once",
        arguments: [true, false])
    func chunksInOrder(unnamed: Bool) throws {
        let folder = try Folder()
        let chunks: [[UInt8]] = [[1, 2, 3], [], Array(repeating: 7, count: 300_000), [9]]
        var seen: [[UInt8]] = []
        try DurableFile.write(
            chunks, to: folder.path + "/a.jpg", staging: folder.staging, unnamed: unnamed
        ) { seen.append($0) }
        #expect(folder.content("a.jpg") == chunks.flatMap { $0 })
        #expect(seen == chunks)
        #expect(try folder.names() == ["a.jpg", "incoming"])
    }

    @Test("a file never replaces another", arguments: [true, false])
    func neverReplaces(unnamed: Bool) throws {
        let folder = try Folder()
        let path = folder.path + "/a.jpg"
        try DurableFile.write([[1]], to: path, staging: folder.staging, unnamed: unnamed)
        let error = #expect(throws: SystemCallError.self) {
            try DurableFile.write([[2]], to: path, staging: folder.staging, unnamed: unnamed)
        }
        #expect(error?.code == EEXIST)
        #expect(error?.path == path)
        #expect(folder.content("a.jpg") == [1])
        #expect(try folder.names() == ["a.jpg", "incoming"])
    }

    @Test("a file has no name before it is published", arguments: [true, false])
    func namelessUntilPublished(unnamed: Bool) throws {
        let folder = try Folder()
        var file = try DurableFile(
            in: folder.path, staging: folder.staging, reserving: 10, unnamed: unnamed)
        try file.write([1, 2])
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/a.jpg"))
        try file.synchronize()
        try file.publish(as: folder.path + "/a.jpg")
        #expect(folder.content("a.jpg") == [1, 2])
    }

    @Test("a file dropped before it is published leaves nothing", arguments: [true, false])
    func droppedLeavesNothing(unnamed: Bool) throws {
        let folder = try Folder()
        func drop() throws {
            var file = try DurableFile(
                in: folder.path, staging: folder.staging, reserving: 4096, unnamed: unnamed)
            try file.write([1, 2, 3])
        }
        try drop()
        #expect(try folder.names() == ["incoming"])
    }

    @Test("a file reserves its space before the first byte without adding length")
    func reserves() throws {
        let folder = try Folder()
        var file = try DurableFile(
            in: folder.path, staging: folder.staging, reserving: 1 << 20, unnamed: false)
        var status = stat()
        let answer = unsafe stat(folder.staging, &status)
        #expect(answer == 0)
        #expect(status.st_size == 0)
        #expect(status.st_blocks * 512 >= 1 << 20)
        try file.write([1])
        try file.synchronize()
    }

    @Test("the error of a missing folder names the call and the path")
    func missingFolder() {
        let error = #expect(throws: SystemCallError.self) {
            try DurableFile.write([[1]], to: "/nowhere/a", staging: "/nowhere/a.part")
        }
        #expect(error?.description == "open /nowhere/a.part: No such file or directory")
    }

    @Test("nested folders are created, and may already exist")
    func folders() throws {
        let folder = try Folder()
        for _ in 0..<2 {
            try FileTree.makeDirectories(["2026", "11", "21"], below: folder.path)
        }
        #expect(try FileTree.entry(folder.path + "/2026/11/21")?.kind == .directory)
        try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/file"))
        let error = #expect(throws: SystemCallError.self) {
            try FileTree.makeDirectory(folder.path + "/file")
        }
        #expect(error?.code == ENOTDIR)
    }

    @Test("a folder's names are listed, except those that are not UTF-8")
    func names() throws {
        let folder = try Folder()
        try Data().write(to: URL(fileURLWithPath: folder.path + "/line\nbreak"))
        let odd = folder.path.utf8CString.dropLast() + [47, -1, 0]
        let number = unsafe odd.withUnsafeBufferPointer { name in
            unsafe name.baseAddress.map { unsafe creat($0, 0o600) } ?? -1
        }
        #expect(number >= 0)
        close(number)
        #expect(try FileTree.names(in: folder.path).sorted() == ["incoming", "line\nbreak"])
    }

    @Test("free space beyond the largest number is the largest number")
    func freeBytes() throws {
        #expect(FileTree.bytes(1000, blocksOf: 4096) == 4_096_000)
        #expect(FileTree.bytes(1 << 62, blocksOf: 4096) == .max)
        #expect(FileTree.bytes(1 << 63, blocksOf: 1) == .max)
        #expect(try FileTree.freeBytes(at: "/") > 0)
    }

    @Test("a held lock names its holder, and is free when the holder ends")
    func lock() throws {
        let folder = try Folder()
        let path = folder.path + "/lock"
        func holdAndTry() throws {
            let lock = try FolderLock(at: path)
            let error = #expect(throws: FolderLock.Failure.self) {
                _ = try FolderLock(at: path)
            }
            guard case .held(let holder) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(holder == getpid())
            _ = consume lock
        }
        try holdAndTry()
        try holdAndTry()
    }

    @Test("a copy of the holder's descriptor does not keep the lock")
    func lockAndChild() throws {
        let folder = try Folder()
        let path = folder.path + "/lock"
        func copyOfLockedFile() throws -> CInt {
            let lock = try FolderLock(at: path)
            let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            let number = numbers.compactMap { CInt($0) }.first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                    == path
            }
            let copy = dup(try #require(number))
            _ = consume lock
            return copy
        }
        let copy = try copyOfLockedFile()
        defer { close(copy) }
        _ = try FolderLock(at: path)
    }
}
