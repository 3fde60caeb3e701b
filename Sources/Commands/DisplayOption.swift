// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Viewing

/// A place where media are played.
enum PlaybackPlace: ExpressibleByArgument {
    /// On a display of the appliance.
    case display(ViewOrder.Display)
    /// On a renderer of the network, by its name or id.
    case renderer(String)

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        self = ViewOrder.Display(rawValue: argument).map { .display($0) } ?? .renderer(argument)
    }

    var defaultValueDescription: String {
        switch self {
        case .display(let display): display.rawValue
        case .renderer(let name): name
        }
    }
}

/// The option that names a display.
struct DisplayOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            first; second: that of [second_display], while the kiosk goes on with the first; or \
            the name of a renderer in the network: vitrine play displays.
            """, valueName: "which"))
    var display = PlaybackPlace.display(.first)

    /// The argument of the appliance's verbs.
    var argument: JSONValue { .string(display.defaultValueDescription) }
    var arguments: [String: JSONValue] { ["display": argument] }
}
