// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Media
internal import Renderers
internal import Settings
internal import Viewing

/// The commands that play media on the appliance's display.
struct PlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Play photos, clips and other media on the display.",
        discussion: """
              vitrine play clip.mp4 --at 12.5
              vitrine play https://example.org/live/stream.m3u8
              vitrine play 0197f3a2-8d1e-7c4a-b1d5-3f2e6a9c8b70 --loop --background
              vitrine play pause

            Any button of the kiosk ends it. Renderers of the network (DLNA) play media, too:

              vitrine play displays
              vitrine play clip.mp4 --display "Living room"
            """,
        subcommands: [
            Media.self, Pause.self, Resume.self, Seek.self, Subtitle.self, Stop.self, State.self,
            Displays.self,
        ], defaultSubcommand: Media.self)

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Pause what is played.")
        @OptionGroup var place: DisplayOption
        @OptionGroup var client: ClientOptions

        func run() async throws {
            try await client.show(place, "play.pause") { try await $0.pause($1) }
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Go on after a pause.")
        @OptionGroup var place: DisplayOption
        @OptionGroup var client: ClientOptions

        func run() async throws {
            try await client.show(place, "play.resume") { try await $0.resume($1) }
        }
    }

    struct Seek: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Go to a time, exactly.", discussion: "  vitrine play seek 12.5")

        @Argument(help: ArgumentHelp("Time from the beginning.", valueName: "seconds"))
        var to: Double

        @OptionGroup var place: DisplayOption
        @OptionGroup var client: ClientOptions

        func validate() throws {
            guard (0...31_536_000).contains(to) else {
                throw ValidationError("The time is 0 to 31536000 seconds.")
            }
        }

        func run() async throws {
            try await client.show(place, "play.seek", ["to": .number(to)]) {
                try await $0.seek($1, to: to)
            }
        }
    }

    struct Subtitle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show other subtitles, or none.", discussion: "  vitrine play subtitle de")

        @Argument(
            help: ArgumentHelp("Language, id or title, or none.", valueName: "which"))
        var which: String

        @OptionGroup var place: DisplayOption
        @OptionGroup var client: ClientOptions

        func run() async throws {
            try await client.show(place, "play.subtitle", ["which": .string(which)]) { _, _ in
                throw CommandError(
                    "play.unsupported", "a renderer shows subtitles of its own",
                    next: "Choose them there.", exit: .usage)
            }
        }
    }

    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the live picture again.")
        @OptionGroup var place: DisplayOption
        @OptionGroup var client: ClientOptions

        func run() async throws {
            try await client.show(place, "play.stop") { try await $0.stop($1) }
        }
    }

    struct State: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Print what is played.")
        @OptionGroup var place: DisplayOption
        @OptionGroup var client: ClientOptions

        func run() async throws { try await client.show(place, "play.status") { _, _ in } }
    }
}

extension PlayCommand {
    /// The command that lists where media can be played.
    struct Displays: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the displays, and the renderers of the network that are there.",
            discussion: "The search takes three seconds.")

        @OptionGroup var client: ClientOptions
        @OptionGroup var configuration: ConfigurationOptions

        func run() async throws {
            let hasSecond = try configuration.load().secondDisplay.connector != nil
            let names = ViewOrder.Display.allCases.filter { $0 == .first || hasSecond }
            var lines = names.map {
                RendererPlayback.Line(name: $0.rawValue, kind: "display")
            }
            do {
                lines += try await RendererPlayback.list()
            } catch let error as CommandError where error.code == "renderer.missing" {
                complain("vitrine: \(error.message); next: \(error.next)")
            }
            if client.json { return print(try jsonLine(["displays": lines])) }
            var table = TextTable([
                TextTable.Column(heading: "NAME", weight: 3),
                TextTable.Column(heading: "KIND", weight: 2),
                TextTable.Column(heading: "MODEL", weight: 1),
            ])
            table.print(lines.map { [$0.name, $0.kind, $0.model ?? ""] })
        }
    }
}

extension ClientOptions {
    /// Lets the appliance or a renderer do something, and prints the state.
    fileprivate func show(
        _ place: DisplayOption, _ verb: String, _ arguments: [String: JSONValue] = [:],
        _ action: (RendererSession, MediaRenderer) async throws -> Void
    ) async throws {
        switch place.display {
        case .display:
            let arguments = arguments.merging(place.arguments) { $1 }
            try show(try request(verb, arguments))
        case .renderer(let name): try show(try await RendererPlayback.control(name, action))
        }
    }

    private func show(_ status: PlayStatus) throws {
        if json { return print(try jsonLine(status)) }
        let time = PlayTime.text(status.seconds, of: status.duration)
        print("\(status.state)  \(time)  \(status.title)")
        if let problem = status.soundProblem { complain("vitrine: no sound: \(problem)") }
        if let problem = status.subtitleProblem {
            complain("vitrine: no subtitles: \(problem)")
        }
        if let problem = status.decoderProblem {
            complain("vitrine: decoded by the processor: \(problem)")
        }
    }
}

/// Times as a person reads them.
enum PlayTime {
    /// Returns "1:05 of 2:00"; without a duration "1:05".
    static func text(_ seconds: Double, of duration: Double?) -> String {
        let elapsed = clockText(seconds: Int(seconds))
        guard let duration else { return elapsed }
        return "\(elapsed) of \(clockText(seconds: Int(duration)))"
    }
}
