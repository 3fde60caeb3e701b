// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol

struct Press: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Press a button, as its name in the configuration has it.")

    @Argument(help: "The button's name.")
    var name: String

    @Flag(help: "Wait for the photo and print it.")
    var wait = false

    @OptionGroup var client: ClientOptions

    func run() throws {
        let answer = try client.request(
            "press", ["name": .string(name), "wait": .bool(wait)])
        if client.json {
            print(try jsonLine(answer))
        } else if wait {
            try AssetTable().print([answer])
        }
    }
}
