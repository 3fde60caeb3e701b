// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import Library

struct Capture: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take pictures without the button.", subcommands: [Photo.self])

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
