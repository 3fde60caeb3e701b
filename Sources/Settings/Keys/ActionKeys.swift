// SPDX-License-Identifier: GPL-3.0-or-later

enum ActionKeys {
    static let table = SettingsTable(
        name: "actions", isList: false,
        help:
            "What buttons do, by name: `shutter.press = \"photo\"`. Several buttons at once are a "
            + "chord: `\"left+right\".press = \"end_session\"`. With one button only, "
            + "`shutter.press = \"primary\"` and `shutter.long_press = \"secondary\"` do what fits "
            + "the moment.")
    static let press = TypedKey<Settings.Action>.choice(
        table, "NAME.press", default: .photo,
        help: "What a press of the button NAME does. `photo` takes one, `burst` takes "
            + "several in quick succession (`photo.burst_count`), `loop` a movie of a second (`photo.loop_s`), "
            + "forward and backward, `timelapse` begins a timelapse or ends the one that runs, `switch_camera` goes over to the next `[[camera]]`, "
            + "`record` begins "
            + "a clip or ends the one that runs, `cancel` ends a countdown or review, `primary` is what the screen suggests (a photo; during a countdown its "
            + "end), `secondary` the way back (out of a countdown or review, else the end of the "
            + "guest's session), `end_session` ends that; `none` is nothing. Of a chord "
            + "the default is `none`.")
    static let doublePress = TypedKey<Settings.Action>.choice(
        table, "NAME.double_press", default: .nothing,
        help: "What two presses do. With an action, a single press waits for the second.")
    static let longPress = TypedKey<Settings.Action>.choice(
        table, "NAME.long_press", default: .nothing,
        help: "What a press that is held does, while it is still held. With an action, a single "
            + "press counts when it is let go.")
    static let hold = TypedKey<Settings.Action>.choice(
        table, "NAME.hold", default: .nothing,
        help:
            "What begins when the button is held: `record` lasts until it is let go; the others do "
            + "the same as with `long_press`, and not together with it.")
    static let all = [press.key, doublePress.key, longPress.key, hold.key]

    /// The key of a gesture.
    static func key(_ gesture: Settings.Gesture) -> TypedKey<Settings.Action> {
        switch gesture {
        case .press: press
        case .doublePress: doublePress
        case .longPress: longPress
        case .hold: hold
        }
    }
}
