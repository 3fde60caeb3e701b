// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Library

struct Capture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take pictures without the button.",
        subcommands: [Photo.self, Burst.self, Movie.self])

    /// A clip, now, by the running appliance.
    struct Movie: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Record a clip with the running appliance, and print it.",
            discussion:
                "It is shorter where something ends it: recording.maximum_s, a full disk, the camera, or a button."
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
            let asset = try client.connect().request(
                "capture.movie", ["seconds": .number(seconds)], as: Asset.self
            ) { step in
                guard case .object(let step) = step, let done = step["done"]?.integerValue,
                    let total = step["total"]?.integerValue
                else { return }
                line.show(done, of: total)
            }
            line.end()
            if client.json {
                print(try jsonLine(asset))
            } else {
                var table = AssetTable()
                table.print([asset])
            }
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

        @OptionGroup var client: ClientOptions

        func validate() throws {
            if let count, !(2...100).contains(count) {
                throw ValidationError("--count takes 2 to 100.")
            }
        }

        func run() throws {
            let assets: [Asset] = try client.request(
                "capture.burst", count.map { ["count": .integer(Int64($0))] } ?? [:])
            if client.json {
                for asset in assets { print(try jsonLine(asset)) }
            } else {
                var table = AssetTable()
                table.print(assets)
            }
        }
    }

    /// One photo, now: by the running appliance, or alone with the library and the camera of the
    /// configuration.
    struct Photo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a photo now, without countdown, and print it.")

        @OptionGroup var client: ClientOptions
        @OptionGroup var configuration: ConfigurationOptions

        func run() async throws {
            let asset = try await photo()
            if client.json {
                print(try jsonLine(asset))
            } else {
                var table = AssetTable()
                table.print([asset])
            }
        }

        private func photo() async throws -> Asset {
            do {
                return try client.request("capture.photo")
            } catch let error as CommandError where error.code == "appliance.notRunning" {
                if client.socket != nil { throw error }
                return try await SinglePhoto(configuration.load(), version: Vitrine.version)
                    .take { complain("vitrine: \($0)") }
            }
        }
    }
}
