// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import FoundationEssentials
internal import Importing
internal import Media
internal import Subprocess

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
                "-nostdin", "-v", "error", "-xerror", "-i", file, "-map", "0:v?", "-map", "0:a?",
                "-c", "copy", "-f", "null", "-",
            ], package: "ffmpeg")
        guard complaints.isEmpty else {
            throw Self.refusal(complaints)
        }
        let text = try await run(
            "ffprobe",
            [
                "-v", "quiet", "-select_streams", "v:0", "-show_format", "-show_streams", "-of",
                "json", file,
            ], package: "ffmpeg")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let probe = try? decoder.decode(VideoProbe.self, from: Data(text.utf8)) else {
            throw ImportError(.damaged, "video: ffprobe did not understand it")
        }
        var video = probe.description
        video.poster = await poster(file)
        return video
    }

    /// A JPEG of an early picture; `nil` when FFmpeg makes none.
    private func poster(_ file: String) async -> [UInt8]? {
        let ended = try? await Subprocess.run(
            .name("prlimit"),
            arguments: Arguments(
                limits + [
                    "ffmpeg", "-nostdin", "-v", "quiet", "-noautorotate", "-i", file, "-map",
                    "0:v:0",
                    "-frames:v", "1", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-f", "image2pipe",
                    "-",
                ]), output: .bytes(limit: Self.posterLimit), error: .discarded)
        guard let ended, ended.terminationStatus.isSuccess else { return nil }
        return ended.standardOutput.isEmpty ? nil : ended.standardOutput
    }

    func picture(_ path: String) async throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "vitrine-import-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
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

    private var limits: [String] {
        ["--as=\(memoryLimit + Self.programSpace)", "--core=0", "--"]
    }

    /// Answers what the program wrote, to both outputs.
    private func run(
        _ name: String, _ arguments: [String], package: String
    ) async throws -> String {
        do {
            return try await SystemProgram.run(
                "prlimit", limits + [name] + arguments, patience: Self.longest)
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
