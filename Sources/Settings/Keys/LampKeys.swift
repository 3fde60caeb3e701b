// SPDX-License-Identifier: GPL-3.0-or-later

enum LampKeys {
    static let table = SettingsTable(
        name: "lamp", isList: false, help: "The lamps of the kiosk's case.")
    static let ready = line(
        "ready",
        "The GPIO line of a lamp that is lit while a press is welcome, as in `[[button]]`; empty "
            + "for none. Without a fault lamp it flashes while no photos can be taken.")
    static let recording = line(
        "recording",
        "The GPIO line of a lamp that is lit while a clip is recorded; empty for none.")
    static let fault = line(
        "fault",
        "The GPIO line of a lamp that flashes while something is wrong; empty for none. It "
            + "flashes once for the camera, twice for the library, three times for the display, "
            + "four times for a button or lamp, five times for anything else.")
    static let activeLow = TypedKey.boolean(
        table, "active_low", default: false,
        help: "Whether the lamps are lit while their lines are low.")
    static let all = [ready.key, recording.key, fault.key, activeLow.key]

    private static func line(_ name: String, _ help: String) -> TypedKey<GPIOLineName?> {
        TypedKey.text(table, name, default: "", .gpioLine, help: help)
            .map(GPIOLineName.init, back: { $0?.description ?? "" })
    }
}
