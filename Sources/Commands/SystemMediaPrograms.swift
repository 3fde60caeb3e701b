// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import FoundationEssentials
internal import Glibc
internal import Importing
internal import Library
internal import Media

/// FFmpeg for videos, libheif's converter for HEIF and AVIF. They read what a stranger may have made, so
/// they get no more memory than is allowed and a limited time.
struct SystemMediaPrograms: MediaPrograms {
    /// In bytes.
    let memoryLimit: Int

    /// FFmpeg's own libraries take so much address space before they have read anything.
    private static let programSpace = 512 << 20
    private static let longest = Duration.seconds(1800)
    private static let posterLimit = 16 << 20

    func video(_ path: String) async throws -> VideoDescription {
        let file = "file:\(path)"
        // All packets are read: only so does a file whose end is missing tell.
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

    /// Probes the moving pictures. Cover pictures, which FFmpeg counts as moving ones otherwise, are left out.
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
            throw ImportError(.damaged, "video: ffprobe did not understand it")
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
        else { throw ImportError(.damaged, "video: ffprobe did not understand it") }
        return container.format?.tags ?? [:]
    }

    func poster(_ path: String) async throws -> [UInt8] {
        // FFmpeg tells why a file cannot be probed.
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

    /// Selects the first picture whose mean luma, of 255, is above that of black and noise: many videos begin black.
    private static let firstBright =
        "signalstats,metadata=select:key=lavfi.signalstats.YAVG:value=26:function=greater"
    /// Seconds that are searched for a bright picture.
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

    /// A video as a moving picture.
    ///
    /// - Throws: ``ImportError`` without FFmpeg, and for what it cannot read.
    func animation(_ animation: Animation, of resource: AssetResource) async throws -> [UInt8] {
        try await inFolder { folder in
            let file = folder.appendingPathComponent("picture")
            for arguments in animation.runs(resource, in: folder.path, to: file.path) {
                _ = try await run("ffmpeg", arguments, package: "ffmpeg")
            }
            return Array(try Data(contentsOf: file))
        }
    }

    /// A video in another container.
    ///
    /// - Throws: ``ImportError`` without FFmpeg, and for what it cannot read.
    func movie(_ container: MovieContainer, of resource: AssetResource) async throws -> Data {
        try await inFolder { folder in
            let file = folder.appendingPathComponent("movie")
            _ = try await run(
                "ffmpeg", container.arguments(resource) + [file.path], package: "ffmpeg")
            // It stays as long as it is read, whatever becomes of the folder.
            return try Data(contentsOf: file, options: .alwaysMapped)
        }
    }

    /// In one of its own, which is gone afterwards.
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
        // Files of several pictures become several.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        guard let name = names.first,
            let bytes = try? Data(contentsOf: folder.appendingPathComponent(name)),
            bytes.count <= memoryLimit
        else { throw ImportError(.damaged, "HEIF: heif-convert made no picture of it") }
        return Array(bytes)
    }

    /// The program behind others that limit it: what it reads may be hostile, and the camera goes before it. Who
    /// only acts as another user could be root again; setpriv(1), which comes first, takes that away.
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

    /// Answers what the program wrote, to both outputs.
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

    /// What a program complained of, without where in its code.
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
    /// As much memory as one file may take that was not given another limit.
    static let usualMegabytes = 256

    /// One that has the system's programs read what Vitrine does not read itself.
    static func withSystemPrograms(megabytes: Int = usualMegabytes) -> MediaInspector {
        let limit = megabytes << 20
        return MediaInspector(
            memoryLimit: limit, programs: SystemMediaPrograms(memoryLimit: limit))
    }
}
