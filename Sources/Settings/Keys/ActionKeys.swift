// SPDX-License-Identifier: GPL-3.0-or-later

enum ActionKeys {
    static let table = SettingsTable(
        name: "actions", isList: false,
        help:
            "What buttons do, by name: `shutter.press = \"photo\"`. Several buttons pressed "
            + "together are a chord: `\"left+right\".press = \"end_session\"`. If there is only "
            + "one button, `shutter.press = \"primary\"` and `shutter.long_press = \"secondary\"` "
            + "let it do what fits the moment.")
    static let press = TypedKey<Settings.Action>.choice(
        table, "NAME.press", default: .photo,
        help:
            "What a press of the button NAME does. `photo` takes a photo, `burst` takes several in "
            + "quick succession (`photo.burst_count`), and `loop` takes a short movie that plays "
            + "forward and backward (`photo.loop_s`). `record` begins a clip or ends the running "
            + "one, and `timelapse` does the same with a timelapse. `switch_camera` changes to the "
            + "next `[[camera]]`. `cancel` ends a countdown or review. `primary` does what the "
            + "screen suggests: it takes a photo, or ends a countdown. `secondary` goes back: it "
            + "ends a countdown or review, otherwise the guest's session. `end_session` ends the "
            + "session. `none` does nothing, and is the default of a chord.")
    static let doublePress = TypedKey<Settings.Action>.choice(
        table, "NAME.double_press", default: .nothing,
        help: "What two presses do. If this is not `none`, a single press waits for a second one.")
    static let longPress = TypedKey<Settings.Action>.choice(
        table, "NAME.long_press", default: .nothing,
        help:
            "What a long press does, while the button is still held. If this is not `none`, a "
            + "single press counts when the button is released.")
    static let hold = TypedKey<Settings.Action>.choice(
        table, "NAME.hold", default: .nothing,
        help:
            "What begins when the button is held. `record` records until the button is released; "
            + "other actions do the same as with `long_press`. A button cannot have both.")
    static let all = [press.key, doublePress.key, longPress.key, hold.key]

    static func key(_ gesture: Settings.Gesture) -> TypedKey<Settings.Action> {
        switch gesture {
        case .press: press
        case .doublePress: doublePress
        case .longPress: longPress
        case .hold: hold
        }
    }
}
