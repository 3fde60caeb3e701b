// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Verbs
internal import Library
internal import Photography

struct Capture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take photos and clips without the button.",
        discussion: """
              vitrine capture photo --quality 95
              vitrine capture movie --seconds 30

            All subcommands except photo need a running appliance.
            """,
        subcommands: [Photo.self, Burst.self, Bracket.self, Loop.self, Movie.self, Timelapse.self])

    struct Movie: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Record a clip with the running appliance, and print it.",
            discussion: """
                  vitrine capture movie --seconds 30

                The clip is shorter if recording.maximum_s, a button or a change of the \
                configuration ends it. The command reports a clip that was cut short, for example \
                by a full disk or a lost camera ("isCut" with --json).

                Ctrl-C ends the clip within two seconds. The recorded part is kept; vitrine \
                library list shows it.
                """)

        @Option(help: ArgumentHelp("Length without the pre-roll.", valueName: "seconds"))
        var seconds = 10.0

        @OptionGroup var client: ClientOptions

        func validate() throws {
            guard seconds > 0, seconds <= 86400 else {
                throw ValidationError("--seconds takes more than 0 and at most 86400.")
            }
        }

        func run() throws {
            let line = ProgressLine(isShown: client.showsProgress)
            defer { line.end() }
            let answer = try client.connect().request(
                "capture.movie", ["seconds": .number(seconds)], as: PressAnswer.self
            ) { step in
                guard case .object(let step) = step, let done = step["done"]?.integerValue,
                    let total = step["total"]?.integerValue
                else { return }
                line.show(done, of: total)
            }
            line.end()
            guard case .saved(let asset, let isCut) = answer else { return }
            if client.json {
                print(try jsonLine(answer))
            } else {
                try client.show(asset)
            }
            if isCut { complainOfCut() }
        }
    }

    struct Burst: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take photos in quick succession with the running appliance, and print them.",
            discussion: """
                  vitrine capture burst --count 5

                Every frame of the camera becomes a photo, without a gap. The sharpest one \
                represents the burst: vitrine library list shows only that one.
                """)

        @Option(help: "Number of photos, 2 to 100 (default: photo.burst_count).")
        var count: Int?

        @OptionGroup var photo: PhotoOptions
        @OptionGroup var light: FlashOptions
        @OptionGroup var client: ClientOptions

        func validate() throws {
            if let count, !(2...100).contains(count) {
                throw ValidationError("--count takes 2 to 100.")
            }
        }

        func run() throws {
            var arguments = photo.arguments.merging(light.arguments) { $1 }
            arguments["count"] = count.map { .integer(Int64($0)) }
            let assets: [Asset] = try client.request("capture.burst", arguments)
            photo.complainOfMissingRaw(assets)
            if let count, assets.count < count {
                complain(
                    "vitrine: only \(assets.count) of \(count) photos were taken; "
                        + "next: see: vitrine logs")
            }
            if client.json {
                for asset in assets { print(try jsonLine(asset)) }
            } else {
                var table = AssetTable()
                table.print(assets)
            }
        }
    }

    struct Bracket: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a burst of photos with different exposures, and print them.",
            discussion: """
                  vitrine capture bracket --ev -2,0,2

                The photos are taken one after the other, if the camera lets its exposure be set. \
                Its controls are restored afterwards. Nothing else can be taken meanwhile. A \
                bracket is refused while a timelapse runs or a guest takes something.
                """)

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Exposure of each photo in EV: 2 to 9 numbers from -6 to 6.", valueName: "-2,0,2"),
            transform: biases)
        var ev: [Double] = [-2, 0, 2]

        @OptionGroup var photo: PhotoOptions
        @OptionGroup var client: ClientOptions

        private static func biases(_ text: String) throws -> [Double] {
            let numbers = text.split(separator: ",").map { Double($0) }
            guard (2...9).contains(numbers.count), numbers.allSatisfy({ abs($0 ?? 7) <= 6 })
            else { throw ValidationError("--ev takes 2 to 9 numbers from -6 to 6, such as -2,0,2") }
            return numbers.compactMap(\.self)
        }

        func run() throws {
            var arguments = photo.arguments
            arguments["biases"] = .array(ev.map { .number($0) })
            let assets: [Asset] = try client.request("capture.bracket", arguments)
            photo.complainOfMissingRaw(assets)
            if client.json {
                for asset in assets { print(try jsonLine(asset)) }
            } else {
                var table = AssetTable()
                table.print(assets)
            }
        }
    }

    struct Loop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a short movie that plays forward and backward, and print it.",
            discussion: """
                  vitrine capture loop
                  vitrine library picture ID loop.gif

                photo.loop_s is the length. The second command makes an animated picture of the \
                loop; loop.webp does the same.
                """)

        @OptionGroup var client: ClientOptions

        func run() throws {
            let asset: Asset = try client.request("capture.loop")
            try client.show(asset)
        }
    }

    struct Timelapse: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Begin a timelapse, or end the running one and print its movie.",
            discussion: """
                  vitrine capture timelapse --interval 30 --duration 28800
                  vitrine capture timelapse --stop

                The command returns once the timelapse has begun. vitrine status shows its progress.
                """)

        @Option(
            help: ArgumentHelp(
                "Time between two pictures (default: timelapse.interval_s).", valueName: "seconds"))
        var interval: Double?

        @Option(
            help: ArgumentHelp(
                "Time until it ends by itself; 0: never (default: timelapse.duration_s).",
                valueName: "seconds"))
        var duration: Double?

        @Flag(help: "End the running timelapse and print its movie.")
        var stop = false

        @OptionGroup var client: ClientOptions

        func validate() throws {
            if let interval, !(0.5...86400).contains(interval) {
                throw ValidationError("--interval takes 0.5 to 86400.")
            }
            if let duration, !(0...31_536_000).contains(duration) {
                throw ValidationError("--duration takes 0 to 31536000.")
            }
            if stop, interval != nil || duration != nil {
                throw ValidationError("--stop goes with neither --interval nor --duration.")
            }
        }

        func run() throws {
            if stop { return try client.show(try client.request("timelapse.stop")) }
            var arguments: [String: JSONValue] = [:]
            if let interval { arguments["interval"] = .number(interval) }
            if let duration { arguments["duration"] = .number(duration) }
            let begun: StatusReport.Timelapse = try client.request("timelapse.start", arguments)
            if client.json { print(try jsonLine(begun)) } else { print("begun") }
        }
    }

    /// The command that takes one photo at once, with the running appliance or, if none is running,
    /// with the configured camera and library.
    struct Photo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a photo now, without countdown, and print it.",
            discussion: """
                  vitrine capture photo --quality 95

                If no appliance is running, the command itself uses the configured camera and \
                library.
                """)

        @OptionGroup var photo: PhotoOptions
        @OptionGroup var light: FlashOptions
        @OptionGroup var client: ClientOptions
        @OptionGroup var configuration: ConfigurationOptions

        func run() async throws {
            let asset = try await take(photo.arguments.merging(light.arguments) { $1 })
            photo.complainOfMissingRaw([asset])
            try client.show(asset)
        }

        private func take(_ arguments: [String: JSONValue]) async throws -> Asset {
            do {
                return try client.request("capture.photo", arguments)
            } catch let error as CommandError where error.code == "appliance.notRunning" {
                if client.socket != nil { throw error }
                return try await SinglePhoto(configuration.load(), version: Vitrine.version)
                    .take(arguments) { complain("vitrine: \($0)") }
            }
        }
    }
}

extension ClientOptions {
    fileprivate func show(_ asset: Asset) throws {
        if json { return print(try jsonLine(asset)) }
        var table = AssetTable()
        table.print([asset])
    }
}
