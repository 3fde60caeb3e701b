// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import FoundationEssentials
internal import Glibc
internal import Importing
internal import Library
internal import Media

/// Runs FFmpeg for videos, and libheif's converter for HEIF and AVIF. The files may be hostile, so
/// the programs run with limited memory and time.
struct SystemMediaPrograms: MediaPrograms {
    /// The memory that a program may use for a file, in bytes.
    let memoryLimit: Int

    /// The address space that FFmpeg's own libraries take before reading anything, in bytes.
    private static let programSpace = 512 << 20
    private static let longest = Duration.seconds(1800)
    private static let posterLimit = 16 << 20

    func video(_ path: String) async throws -> VideoDescription {
        let file = "file:\(path)"
        // Reads all packets, because only that reveals a truncated file.
        let complaints = try await run(
            "ffmpeg",
            [
                "-nostdin", "-v", "error", "-xerror", "-i", file, "-map", "0:V?", "-map", "0:a?",
                "-c", "copy", "-f", "null", "-",
            ], package: "ffmpeg")
        guard complaints.isEmpty else {
            throw Self.refusal(complaints)
        }
        return try await probe(path).description
    }

    /// Probes the video streams, without cover pictures, which FFmpeg also counts as video.
    private func probe(_ path: String) async throws -> VideoProbe {
        let text = try await run(
            "ffprobe",
            [
                "-v", "quiet", "-select_streams", "V", "-show_format", "-show_streams", "-of",
                "json", "file:\(path)",
            ], package: "ffmpeg")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(VideoProbe.self, from: Data(text.utf8))
        } catch {
            throw ImportError(.damaged, "video: ffprobe cannot read it")
        }
    }

    func tags(_ path: String) async throws -> [String: String] {
        struct Container: Decodable {
            struct Format: Decodable { var tags: [String: String]? }
            var format: Format?
        }
        let text = try await run(
            "ffprobe",
            ["-v", "quiet", "-show_entries", "format_tags", "-of", "json", "file:\(path)"],
            package: "ffmpeg")
        guard let container = try? JSONDecoder().decode(Container.self, from: Data(text.utf8))
        else { throw ImportError(.damaged, "video: ffprobe cannot read it") }
        return container.format?.tags ?? [:]
    }

    func poster(_ path: String) async throws -> [UInt8] {
        // If probing fails, FFmpeg reports the reason below.
        let index = try? await probe(path).shown?.index
        let stream = index.map { "0:\($0)" } ?? "0:V:0"
        if let bright = try? await poster(path, stream, filter: Self.firstBright), !bright.isEmpty {
            return bright
        }
        let first = try await poster(path, stream, filter: nil)
        guard !first.isEmpty else {
            throw ImportError(.damaged, "video: ffmpeg made no picture of it")
        }
        return first
    }

    /// Selects the first picture whose mean luma (0 to 255) is above that of black with noise,
    /// because many videos begin black.
    private static let firstBright =
        "signalstats,metadata=select:key=lavfi.signalstats.YAVG:value=26:function=greater"
    private static let longestDarkness = "30"

    private func poster(_ path: String, _ stream: String, filter: String?) async throws -> [UInt8] {
        let filters = [filter, FFmpegFilter.squarePixels].compactMap(\.self)
        let arguments = [
            "-nostdin", "-v", "error", "-noautorotate", "-t", Self.longestDarkness,
            "-i", "file:\(path)", "-map", stream, "-vf", filters.joined(separator: ","),
            "-frames:v", "1", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-f", "image2pipe", "-",
        ]
        let command = confined("ffmpeg", arguments)
        return try await reporting("ffmpeg", package: "ffmpeg") {
            try await SystemProgram.data(
                of: command.program, command.arguments, runs: "ffmpeg", limit: Self.posterLimit,
                patience: Self.longest)
        }
    }

    /// Converts a video to a moving picture; throws ``ImportError`` if FFmpeg is missing or fails.
    func animation(_ animation: Animation, of resource: AssetResource) async throws -> [UInt8] {
        try await inFolder { folder in
            let file = folder.appendingPathComponent("picture")
            for arguments in animation.runs(resource, in: folder.path, to: file.path) {
                _ = try await run("ffmpeg", arguments, package: "ffmpeg")
            }
            return Array(try Data(contentsOf: file))
        }
    }

    /// Converts a video to another container; throws ``ImportError`` if FFmpeg is missing or fails.
    func movie(_ container: MovieContainer, of resource: AssetResource) async throws -> Data {
        try await inFolder { folder in
            let file = folder.appendingPathComponent("movie")
            _ = try await run(
                "ffmpeg", container.arguments(resource) + [file.path], package: "ffmpeg")
            // The mapping keeps the data readable after the folder is deleted.
            return try Data(contentsOf: file, options: .alwaysMapped)
        }
    }

    /// Runs `body` with a new temporary folder, and deletes the folder afterwards.
    private func inFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "vitrine-import-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    func picture(_ path: String) async throws -> [UInt8] {
        try await inFolder { try await picture(path, in: $0) }
    }

    private func picture(_ path: String, in folder: URL) async throws -> [UInt8] {
        let picture = folder.appendingPathComponent("picture.jpg")
        _ = try await run("heif-convert", [path, picture.path], package: "libheif-examples")
        // A file with several pictures gives several output files.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        guard let name = names.first,
            let bytes = try? Data(contentsOf: folder.appendingPathComponent(name)),
            bytes.count <= memoryLimit
        else { throw ImportError(.damaged, "HEIF: heif-convert made no picture of it") }
        return Array(bytes)
    }

    /// Wraps a program in others that limit it, because its input may be hostile and the camera has
    /// priority. If root only acts as another user, setpriv(1) comes first, so that the program
    /// cannot become root again.
    private func confined(
        _ name: String, _ arguments: [String]
    ) -> (program: String, arguments: [String]) {
        let limits =
            ["nice", "-n", "10", "choom", "-n", "500", "--"]
            + ["prlimit", "--as=\(memoryLimit + Self.programSpace)", "--core=0", "--", name]
            + arguments
        if getuid() == geteuid() { return ("nice", Array(limits.dropFirst())) }
        let identity = [
            "--reuid=\(geteuid())", "--regid=\(getegid())", "--keep-groups", "--no-new-privs",
            "--",
        ]
        return ("setpriv", identity + limits)
    }

    private func run(
        _ name: String, _ arguments: [String], package: String
    ) async throws -> String {
        let command = confined(name, arguments)
        return try await reporting(name, package: package) {
            try await SystemProgram.run(
                command.program, command.arguments, runs: name, patience: Self.longest)
        }
    }

    private func reporting<Value>(
        _ name: String, package: String, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let error as CommandError {
            if error.message.contains("failed to execute") {
                throw ImportError(
                    .noProgram, "\(name) is needed for it: apt install \(package)")
            }
            throw Self.refusal(error.message)
        }
    }

    /// Converts a program's complaint to an error, without the places in its source code.
    private static func refusal(_ text: String) -> ImportError {
        let lines = text.split(whereSeparator: \.isNewline).map { line in
            guard line.hasPrefix("["), let end = line.firstRange(of: "] ") else {
                return String(line)
            }
            return String(line[end.upperBound...])
        }
        let isCut = ["moov atom not found", "ended prematurely", "partial file"].contains {
            text.contains($0)
        }
        return ImportError(
            isCut ? .truncated : .damaged, lines.prefix(3).joined(separator: "; "))
    }
}

extension MediaInspector {
    /// The default memory limit for one file, in units of 2^20 bytes.
    static let usualMegabytes = 256

    /// Returns an inspector that uses the system's programs for formats that Vitrine cannot read.
    static func withSystemPrograms(megabytes: Int = usualMegabytes) -> MediaInspector {
        let limit = megabytes << 20
        return MediaInspector(
            memoryLimit: limit, programs: SystemMediaPrograms(memoryLimit: limit))
    }
}
