// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Verbs
internal import Settings

struct Press: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Press a button of the configuration.",
        discussion: """
              vitrine press shutter --wait

            [actions] of the configuration says what the button does.
            """)

    @Argument(help: "Name of the button, or of a chord such as left+right.")
    var name: String

    @Option(
        help: "Gesture: press, double_press, long_press or hold.",
        completion: .list(Settings.Gesture.allCases.map(\.rawValue)))
    var gesture = Settings.Gesture.press.rawValue

    @Flag(help: "Wait for the photo, or for the clip that the press ends, and print it.")
    var wait = false

    @OptionGroup var client: ClientOptions

    func run() throws {
        let answer: PressAnswer = try client.request(
            "press",
            ["name": .string(name), "gesture": .string(gesture), "wait": .bool(wait)])
        if client.json { print(try jsonLine(answer)) }
        switch answer {
        case .saved(let asset, let isCut):
            if !client.json {
                var table = AssetTable()
                table.print([asset])
            }
            if isCut { complainOfCut() }
        case .accepted(true):
            if wait && !client.json { print("accepted; there is no photo or clip to wait for") }
        case .accepted(false):
            throw CommandError(
                "press.ignored", "button \"\(name)\" has nothing to do now",
                next: "See what it does: [actions] in the configuration.",
                exit: .temporary)
        }
    }
}

func complainOfCut() { complain("vitrine: the clip was cut short; next: see: vitrine status") }
