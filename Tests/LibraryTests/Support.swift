// SPDX-License-Identifier: GPL-3.0-or-later

import Dispatch
import Foundation
import Library
import LinuxIO
import Synchronization
import TestSupport
import Testing

/// A temporary library folder, removed together with this object.
final class LibraryFolder: Sendable {
    let path = NSTemporaryDirectory() + "library-" + UUID().uuidString
    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    var root: String { path + "/root" }
    var target: String { path + "/export" }

    func open() async throws -> AssetLibrary {
        try await AssetLibrary.open(at: root, reserveMegabytes: 0)
    }

    func open(_ stop: ReadingStop) async throws -> AssetLibrary {
        try await AssetLibrary.open(at: root, reserveMegabytes: 0, reader: stop.reader) {
            _ throws(SystemCallError) in .max
        }
    }

    /// Returns the lines that sqlite3 prints: an oracle that shares no code with the library.
    func sqlite(_ sql: String, in database: String? = nil) async throws -> [String] {
        let path = database ?? root + "/library.sqlite"
        let result = try await command(["sqlite3", path, sql])
        guard result.status == 0 else { throw CommandFailed(text: result.errors) }
        return result.lines
    }

    /// Returns the hashes of the originals by id, as sha256sum computes them.
    func originals() async throws -> [String: String] {
        let found = try await command(
            ["find", root + "/originals", "-type", "f", "-exec", "sha256sum", "{}", "+"])
        var hashes: [String: String] = [:]
        for line in found.lines {
            let parts = line.split(separator: " ")
            guard let hash = parts.first, let path = parts.last else { continue }
            let name = path.split(separator: "/").last ?? ""
            hashes[String(name.prefix(36))] = String(hash)
        }
        return hashes
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    func names(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }
}

struct CommandFailed: Error {
    let text: String
}

struct CommandResult {
    let status: Int32
    let output: String
    let errors: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }
    /// The photos that the helper acknowledged: id and hash.
    var saved: [(id: String, hash: String)] {
        lines.compactMap { line in
            let parts = line.split(separator: " ").map(String.init)
            return parts.count == 3 && parts[0] == "saved" ? (parts[1], parts[2]) : nil
        }
    }
}

/// A reader that waits after reading an original until the test calls `letGo()`.
final class ReadingStop: Sendable {
    /// The paths that have been read.
    let begun: AsyncStream<String>
    private let begin: AsyncStream<String>.Continuation
    private let isFree = DispatchSemaphore(value: 0)
    /// The maximum wait in seconds, which no successful test reaches.
    private static let patience = 600.0

    private let left = Mutex(false)
    /// Whether a wait ended before the test called `letGo()`.
    var wasLeft: Bool { left.withLock { $0 } }

    init() { (begun, begin) = AsyncStream.makeStream(of: String.self) }

    var reader: OriginalReader {
        OriginalReader { [self] path in
            begin.yield(path)
            if isFree.wait(timeout: .now() + Self.patience) == .timedOut {
                left.withLock { $0 = true }
            }
            isFree.signal()
        }
    }

    func letGo() { isFree.signal() }
}

/// The path of the helper beside the test binary; see Ingest/main.swift.
let helper: String = {
    let tests =
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/library-ingest"
}()

/// Runs a command to its end.
@discardableResult
func command(_ arguments: [String]) async throws -> CommandResult {
    try await RunningCommand(arguments).finish()
}

/// A running command. Its output goes to files, so it never waits for a reader.
final class RunningCommand: Sendable {
    private let process: ChildProcess
    private let output: URL
    private let errors: URL

    init(_ arguments: [String]) throws {
        let base = NSTemporaryDirectory() + "command-" + UUID().uuidString
        output = URL(fileURLWithPath: base + ".out")
        errors = URL(fileURLWithPath: base + ".err")
        process = try ChildProcess(
            "/usr/bin/env", arguments, output: output.path, errors: errors.path)
    }

    deinit {
        try? FileManager.default.removeItem(at: output)
        try? FileManager.default.removeItem(at: errors)
    }

    private func text(_ file: URL) -> String {
        String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
    }

    /// Waits for this many lines with this beginning, or for the end of the command.
    func wait(for count: Int, _ beginning: String) async throws {
        try await waitUntil {
            let lines = text(output).split(separator: "\n").filter { $0.hasPrefix(beginning) }
            return lines.count >= count || !process.isRunning
        }
    }

    /// Sends SIGKILL. Returns whether the command was still running.
    func kill() -> Bool { process.kill() }

    /// Waits for the end of the command without blocking a thread of the tests.
    func finish() async -> CommandResult {
        let status = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [process] in
                continuation.resume(returning: process.wait())
            }
        }
        return CommandResult(
            status: status, output: text(output), errors: text(errors))
    }
}

/// Runs the helper under strace. Returns its calls, and its own output.
///
/// - Parameter paths: If there are any, only calls on these paths are returned.
func traced(
    _ calls: String, _ arguments: [String], inject: [String] = [], paths: [String] = []
) async throws -> (calls: [TracedCall], result: CommandResult) {
    let trace = NSTemporaryDirectory() + "trace-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: trace) }
    let injections = inject.flatMap { ["-e", "inject=" + $0] }
    // Makes only traced calls stop the process. strace 6.1 then delivers no signals.
    let filter = inject.contains { $0.contains("signal") } ? [] : ["--seccomp-bpf"]
    var words = ["strace", "-f", "-y", "-s", "16", "-o", trace, "-e", "trace=" + calls]
    words += filter + injections
    for path in paths { words += ["-P", path] }
    let result = try await command(words + [helper] + arguments)
    let text = String(
        decoding: FileManager.default.contents(atPath: trace) ?? Data(), as: UTF8.self)
    return (wholeLines(text).compactMap { TracedCall($0) }, result)
}

/// Joins the calls that strace splits when another thread's call comes in between. Each is placed
/// where it ended.
func wholeLines(_ trace: String) -> [String] {
    var begun: [Substring: Substring] = [:]
    var lines: [String] = []
    for line in trace.split(separator: "\n") {
        let process = line.prefix { $0 != " " }
        if line.hasSuffix("<unfinished ...>") {
            begun[process] = line.dropLast("<unfinished ...>".count)
        } else if let rest = line.range(of: " resumed>"),
            let start = begun.removeValue(forKey: process)
        {
            lines.append(String(start) + line[rest.upperBound...])
        } else {
            lines.append(String(line))
        }
    }
    // The calls that a signal ended have no second part.
    return lines + begun.values.map(String.init)
}

/// One line of strace: process, call, arguments, result.
struct TracedCall {
    let name: String
    let arguments: String
    let result: Int

    init?(_ line: String) {
        guard let open = line.firstIndex(of: "("), let space = line[..<open].lastIndex(of: " ")
        else { return nil }
        name = String(line[line.index(after: space)..<open])
        arguments = String(line[open...])
        let answer = line.components(separatedBy: " = ").last ?? ""
        result = Int(answer.prefix { $0 == "-" || $0.isNumber }) ?? 0
    }
}

/// Returns random content in which only the frame header is a JPEG's.
func jpeg(width: Int = 64, height: Int = 48, bytes: Int = 5000) -> [UInt8] {
    var content: [UInt8] = [
        0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC0, 0, 11, 8, UInt8(height >> 8),
        UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255), 1, 1, 0x11, 0,
    ]
    content += (0..<bytes).map { _ in UInt8.random(in: 0...254) }
    return content + [0xFF, 0xD9]
}

func photo(
    _ content: [UInt8] = jpeg(), id: UUID = UUID(), number: Int64 = 1,
    at createdAt: WallTime = WallTime(
        nanoseconds: 1_795_347_005_123_456_789, utcOffsetSeconds: 3600),
    thumbnail: [UInt8]? = nil
) -> FinishedPhoto {
    FinishedPhoto(
        id: id, chunks: [Array(content.prefix(100)), Array(content.dropFirst(100))], width: 64,
        height: 48, orientation: 6, createdAt: createdAt, timeConfidence: .synchronized,
        bootID: "9c5a0a9d-0000-4000-8000-000000000000", boottime: 12_345,
        frameSequence: number, shutterOffsetMicroseconds: -8123,
        shutterReference: .exposureMiddle, deviceName: "HD Webcam", sessionID: "evening",
        thumbnail: thumbnail)
}

extension AssetLibrary {
    /// Exports as `vitrine library export` does.
    func export(
        _ ids: [String]? = nil, to directory: String, _ options: ExportOptions = ExportOptions(),
        foreign: (any ForeignPictures)? = nil,
        progress: (ExportProgress) -> Void = { _ in }
    ) async throws -> ExportReport {
        var list = try await ExportList(ids, from: self)
        return try await AssetExporter(to: directory, options, foreign: foreign)
            .run(total: list.total, progress: progress) { try await list.next(from: self) }
    }
}

/// A source that has the same picture for every file and records the files.
final class ReadingPictures: ForeignPictures {
    struct Original {
        let path: String
        let content: [UInt8]
        let mode: Int?
    }

    private let jpeg: [UInt8]
    private let originals = Mutex<[Original]>([])

    init(jpeg: [UInt8]) { self.jpeg = jpeg }

    var read: [Original] { originals.withLock(\.self) }

    func metadata(of path: String) async throws -> [String: [String: String]] { [:] }

    func jpeg(of path: String) async throws -> [UInt8] {
        let original = Original(
            path: path, content: Array(try Data(contentsOf: URL(filePath: path))),
            mode: try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        originals.withLock { $0.append(original) }
        return jpeg
    }
}
