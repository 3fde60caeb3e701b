// SPDX-License-Identifier: GPL-3.0-or-later

/// The keys of `[actions]`, whose tables have the names of buttons and chords.
enum ActionKeys {
    static let form = ValueForm<Settings.Action>.choice
    static let table = SettingsTable(
        "actions",
        """
        What buttons do, by name: `shutter.press = "photo"`. Several buttons pressed together are \
        a chord: `"left+right".press = "end_session"`. If there is only one button, `shutter.press \
        = "primary"` and `shutter.long_press = "secondary"` let it do what fits the moment.
        """)
    static let all = Settings.Gesture.allCases.map(key)

    /// The action of a button's gesture that the file does not mention.
    static func defaultAction(of gesture: Settings.Gesture) -> Settings.Action {
        gesture == .press ? .photo : .nothing
    }

    static func key(_ gesture: Settings.Gesture) -> SettingsKey {
        SettingsKey(
            table, "NAME.\(gesture.rawValue)", form, default: defaultAction(of: gesture),
            help(gesture))
    }

    private static func help(_ gesture: Settings.Gesture) -> String {
        switch gesture {
        case .press:
            """
            What a press of the button NAME does. `photo` takes a photo, `burst` takes several in \
            quick succession (`photo.burst_count`), and `loop` takes a short movie that plays \
            forward and backward (`photo.loop_s`). `record` begins a clip or ends the running one, \
            and `timelapse` does the same with a timelapse. `switch_camera` changes to the next \
            `[[camera]]`. `browse` shows the visit's last photo or clip, `previous` and `next` \
            show the others, and any other press shows the live picture again. `cancel` ends a \
            countdown or review. `primary` does what the screen \
            suggests: it takes a photo, or ends a countdown. `secondary` goes back: it ends a \
            countdown or review, otherwise the guest's session. `end_session` ends the session. \
            `none` does nothing, and is the default of a chord.
            """
        case .doublePress:
            "What two presses do. If this is not `none`, a single press waits for a second one."
        case .longPress:
            """
            What a long press does, while the button is still held. If this is not `none`, a \
            single press counts when the button is released.
            """
        case .hold:
            """
            What begins when the button is held. `record` records until the button is released; \
            other actions do the same as with `long_press`. A button cannot have both.
            """
        }
    }
}
