// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Importing
internal import Library
internal import LinuxIO
internal import Media

extension LibraryCommand {
    /// The command that writes a video to a file. It writes with the caller's permissions.
    struct Movie: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a video to an MP4 or MKV file.",
            discussion: """
                  vitrine library movie 12 clip.mkv

                FILE.mp4 is the video as it is stored. FILE.mkv is Matroska with the sound as \
                Opus; its pictures are the stored ones, compressed again only if they must be \
                turned upright.
                """)

        @Argument(help: "Id, its first four or more characters, or the sequence number.")
        var id: String

        @Argument(
            help: "File to write: FILE.mp4 or FILE.mkv.",
            completion: .file(extensions: ["mp4", "mkv"]))
        var file: String

        @OptionGroup var access: LibraryAccess

        func validate() throws {
            guard MovieContainer(file: file) != nil else {
                let endings = MovieContainer.allCases.map { ".\($0.rawValue)" }
                throw ValidationError(
                    "\"\(file)\" has the wrong extension, allowed: "
                        + endings.joined(separator: ", "))
            }
        }

        func run() async throws {
            let resource = try await access.video(id, next: "See: vitrine library picture --help")
            let (source, target) = (Self.identity(resource.path), Self.identity(file))
            guard target == nil || source != target else {
                throw CommandError(
                    "library.unsupported", "\(file) is the library's own file",
                    next: "Name another file.", exit: .usage)
            }
            try access.deliver(try await read(resource), to: file)
        }

        /// Returns the device and inode numbers of a file; `nil` if it is not accessible.
        private static func identity(_ path: String) -> [Int]? {
            guard let about = try? FileManager.default.attributesOfItem(atPath: path),
                let disk = about[.systemNumber] as? Int, let file = about[.systemFileNumber] as? Int
            else { return nil }
            return [disk, file]
        }

        private func read(_ resource: AssetResource) async throws -> Data {
            do {
                // Files of unknown origin must not be parsed as root.
                return try await asOwner(of: PathName(resource.path).parent) { _ in
                    if MovieContainer(file: file) == .mp4, resource.path.hasSuffix(".mp4") {
                        return try Data(
                            contentsOf: URL(filePath: resource.path), options: .alwaysMapped)
                    }
                    return try await SystemMediaPrograms(
                        memoryLimit: MediaInspector.usualMegabytes << 20
                    ).movie(MovieContainer(file: file) ?? .mp4, of: resource)
                }
            } catch let error as ImportError {
                throw CommandError(
                    "library.unsupported", error.message, next: "See: vitrine doctor", exit: .io)
            }
        }
    }
}

enum MovieContainer: String, CaseIterable, FileEnding {
    case mp4, mkv

    /// Returns FFmpeg's arguments, without the output file.
    func arguments(_ resource: AssetResource) -> [String] {
        let input = ["-nostdin", "-v", "error", "-i", "file:\(resource.path)"]
        let tracks = ["-map", "0:v:0", "-map", "0:a?", "-map_metadata", "0"]
        switch self {
        case .mp4:
            return input + tracks + ["-c", "copy", "-movflags", "+faststart", "-f", "mp4"]
        case .mkv:
            let isUpright = resource.asset.orientation == 1
            let pictures = isUpright ? ["copy"] : ["libx264", "-crf", "18", "-preset", "veryfast"]
            return input + tracks + ["-c:v"] + pictures
                + ["-c:a", "libopus", "-b:a", "96k", "-f", "matroska"]
        }
    }
}
