// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Library

struct Capture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take pictures without the button.",
        subcommands: [Photo.self, Burst.self, Bracket.self, Loop.self, Movie.self, Timelapse.self])

    /// A clip, now, by the running appliance.
    struct Movie: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Record a clip with the running appliance, and print it.",
            discussion:
                "It is shorter where something ends it: recording.maximum_s, a button; or a full disk, the camera, another configuration or the program's end, which is said (\"isCut\" with --json). Ctrl-C ends it within a second or two; what there is is kept, see: library list."
        )

        @Option(help: ArgumentHelp("How long, without the pre-roll.", valueName: "seconds"))
        var seconds = 10.0

        @OptionGroup var client: ClientOptions

        func validate() throws {
            guard seconds > 0, seconds <= 86400 else {
                throw ValidationError("--seconds takes more than 0 and at most 86400.")
            }
        }

        func run() throws {
            let line = ProgressLine(isShown: !client.json && isatty(STDERR_FILENO) == 1)
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

    /// Photos in quick succession, now, by the running appliance.
    struct Burst: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take photos in quick succession with the running appliance, and print them.",
            discussion:
                "One of each frame of the camera, without a gap. The sharpest stands for all: library list shows it alone."
        )

        @Option(help: "How many, 2 to 100; without, as many as photo.burst_count says.")
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
                complain("vitrine: \(assets.count) of \(count) photos; next: see: vitrine logs")
            }
            if client.json {
                for asset in assets { print(try jsonLine(asset)) }
            } else {
                var table = AssetTable()
                table.print(assets)
            }
        }
    }

    /// Photos of other exposures, now, by the running appliance.
    struct Bracket: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take photos of other exposures with the running appliance, and print them.",
            discussion: """
                One burst, one photo after the other, where the camera lets its exposure be set; what was set is set again \
                afterwards. Meanwhile nothing else is taken, and none is in the midst of a timelapse or of what a guest does.
                """)

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("EV of each photo, 2 to 9 of them.", valueName: "-2,0,2"),
            transform: biases)
        var ev: [Double] = [-2, 0, 2]

        @OptionGroup var photo: PhotoOptions
        @OptionGroup var client: ClientOptions

        private static func biases(_ text: String) throws -> [Double] {
            let numbers = text.split(separator: ",").map { Double($0) }
            guard (2...9).contains(numbers.count), numbers.allSatisfy({ abs($0 ?? 7) <= 6 })
            else { throw ValidationError("--ev takes 2 to 9 numbers of -6 to 6, such as -2,0,2") }
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

    /// A loop, now, by the running appliance.
    struct Loop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a short movie, forward and backward, with the running appliance.",
            discussion: """
                As long as photo.loop_s says, and as animated picture: \
                vitrine library picture ID loop.gif, or loop.webp
                """)

        @OptionGroup var client: ClientOptions

        func run() throws {
            let asset: Asset = try client.request("capture.loop")
            try client.show(asset)
        }
    }

    /// A timelapse of the running appliance's.
    struct Timelapse: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Begin a timelapse with the running appliance, or end the one that runs.",
            discussion:
                "Returns when it has begun; how far it is, status says. --stop prints its movie.")

        @Option(help: ArgumentHelp("From one picture to the next.", valueName: "seconds"))
        var interval: Double?

        @Option(
            help: ArgumentHelp(
                "It ends by itself after so long; 0: when somebody ends it.", valueName: "seconds"))
        var duration: Double?

        @Flag(help: "End the one that runs.")
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
                throw ValidationError("--stop stands alone.")
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

    /// One photo, now: by the running appliance, or alone with the library and the camera of the
    /// configuration.
    struct Photo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a photo now, without countdown, and print it.")

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
    /// Prints what was taken.
    fileprivate func show(_ asset: Asset) throws {
        if json { return print(try jsonLine(asset)) }
        var table = AssetTable()
        table.print([asset])
    }
}
