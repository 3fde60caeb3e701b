// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
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
        let answer: PressAnswer = try client.request(
            "press", ["name": .string(name), "wait": .bool(wait)])
        if client.json { print(try jsonLine(answer)) }
        switch answer {
        case .saved(let asset):
            if !client.json {
                var table = AssetTable()
                table.print([asset])
            }
        case .accepted(true):
            if wait && !client.json { print("accepted; it takes no photo") }
        case .accepted(false):
            throw CommandError(
                "press.ignored", "button \"\(name)\": there is nothing for it to do now",
                next: "What it does stands in the configuration under [actions].",
                exit: .temporary)
        }
    }
}
