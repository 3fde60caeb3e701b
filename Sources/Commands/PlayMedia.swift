// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import LinuxIO
internal import Media
internal import Network
internal import Playback
internal import Settings
internal import Verbs
internal import Viewing

extension PlayCommand {
    /// The command that begins.
    struct Media: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "media", abstract: "Play an asset of the library, a file or a URL.",
            discussion: """
                The command shows the progress until the end, and Ctrl-C ends the playing; \
                --background returns at once. If no appliance runs, the command itself plays a \
                file or a URL on the configured display. The appliance opens URLs through the \
                service vitrine-sync.
                """, shouldDisplay: false)

        @Argument(
            help: "Identifier of an asset, a file that ffmpeg knows, or a URL of http or https.",
            completion: .file())
        var media: String

        @Option(help: ArgumentHelp("Time to begin at.", valueName: "seconds"))
        var at = 0.0

        @Option(help: "Speed, 0.25 to 4. Sound is heard at 1 only.")
        var rate = 1.0

        @Option(
            help: ArgumentHelp(
                "File, language, id or title of subtitles, or none.", valueName: "which"),
            completion: .file(extensions: ["srt", "vtt", "ass", "ssa"]))
        var subtitle: String?

        @OptionGroup var place: DisplayOption

        @Flag(help: "Play again and again.")
        var loop = false

        @Flag(help: "Return at once.")
        var background = false

        @OptionGroup var access: LibraryAccess

        var client: ClientOptions { access.client }

        func validate() throws {
            guard (0.25...4).contains(rate) else {
                throw ValidationError("--rate takes 0.25 to 4.")
            }
            guard (0...31_536_000).contains(at) else {
                throw ValidationError("--at takes 0 to 31536000 seconds.")
            }
        }

        func run() async throws {
            let line = ProgressLine(isShown: client.showsProgress && !background)
            defer { line.end() }
            let answer =
                switch place.display {
                case .display: try await playHere(line)
                case .renderer(let name): try await play(onRenderer: name, line)
                }
            line.end()
            if client.json { print(try jsonLine(answer)) } else { print(answer.result) }
        }

        private func playHere(_ line: ProgressLine) async throws -> PlayAnswer {
            var arguments: [String: JSONValue] = [
                "at": .number(at), "rate": .number(rate), "loop": .bool(loop),
                "wait": .bool(!background), "display": place.argument,
            ]
            var files: [PassedFile] = []
            var subtitles: [(file: PassedFile, name: String)] = []
            if UUID(uuidString: media) != nil {
                arguments["asset"] = .string(media)
            } else if MediaAsset.isURL(media) {
                arguments["url"] = .string(media)
            } else {
                files.append(try opened(media))
                arguments["name"] = .string(URL(filePath: media).lastPathComponent)
                // Files that lie there by chance need not be readable.
                subtitles = SubtitleFile.paths(beside: media).compactMap { path in
                    (try? opened(path)).map { ($0, URL(filePath: path).lastPathComponent) }
                }
            }
            if let subtitle {
                let name = URL(filePath: subtitle).lastPathComponent
                let isFile = Self.isFile(subtitle)
                if isFile {
                    let file = try opened(subtitle)
                    subtitles.removeAll { $0.name == name }
                    subtitles.append((file, name))
                }
                arguments["subtitle"] = .string(isFile ? name : subtitle)
            }
            files += subtitles.map(\.file)
            arguments["subtitles"] = .array(subtitles.map { .string($0.name) })
            return try await play(arguments, files, line)
        }

        private func play(
            _ arguments: [String: JSONValue], _ files: [PassedFile], _ line: ProgressLine
        ) async throws -> PlayAnswer {
            do {
                return try client.connect().request("play", arguments, passing: files) { step in
                    guard case .object(let step) = step, let done = step["done"]?.integerValue
                    else { return }
                    line.show(seconds: done, of: step["total"]?.integerValue)
                }
            } catch let error as CommandError where error.code == "appliance.notRunning" {
                guard client.socket == nil, !background, arguments["asset"] == nil else {
                    throw error
                }
                let order = try ViewOrder(files: files, arguments)
                let settings = try access.configuration.load()
                let loader = try ResourceLoader(
                    ResourceServer { HTTPClient.Configuration(settings.cache) })
                let single = SinglePlay(settings)
                let status = try await Interruption.cancels {
                    try await single.play(order, loader: loader) { status in
                        line.show(
                            seconds: Int(status.seconds),
                            of: status.duration.map { Int($0.rounded()) })
                    }
                }
                return PlayAnswer(result: "finished", status: status)
            }
        }

        private static func isFile(_ path: String) -> Bool {
            let path = URL(filePath: path).resolvingSymlinksInPath().path
            return (try? FileTree.entry(path))??.kind == .file
        }

        func opened(_ path: String) throws -> PassedFile {
            do {
                return try PassedFile(URL(filePath: path).resolvingSymlinksInPath().path)
            } catch {
                throw CommandError(
                    "file.unreadable", "cannot read \(path): \(error.reason)",
                    next: "Name a file, or an asset: vitrine library list",
                    exit: error.isPermission ? .notPermitted : .noInput)
            }
        }
    }
}

extension ProgressLine {
    /// Shows a time, with a bar if the length is known.
    func show(seconds: Int, of duration: Int?) {
        if let duration, duration > 0 { return show(seconds, of: duration) }
        if isShown {
            writeToStandardError("\r" + PlayTime.text(Double(seconds), of: nil) + "\u{1b}[K")
        }
    }
}
