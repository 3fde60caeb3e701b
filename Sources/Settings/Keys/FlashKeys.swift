// SPDX-License-Identifier: GPL-3.0-or-later

enum FlashKeys {
    static let table = SettingsTable(
        name: "flash", isList: false, help: "A light that is on around the shutter moment.")
    static let line = TypedKey.text(
        table, "line", default: "", .gpioLine,
        help: "The GPIO line of the light, as in `[[button]]`; empty for none."
    ).map(GPIOLineName.init, back: { $0?.description ?? "" })
    static let activeLow = TypedKey.boolean(
        table, "active_low", default: false, help: "Whether the light is on while its line is low.")
    static let lead = TypedKey.integer(
        table, "lead_ms", default: 100, in: 0...2000, unit: "ms",
        help:
            "How long before the photo the light goes on: the time that it needs to reach full "
            + "brightness, plus two frames. Without a countdown the light goes on at the press, "
            + "and the photo is this much later.")
    static let start = TypedKey<FlashSettings.Start>.choice(
        table, "on", default: .lead,
        help:
            "When the light goes on before a photo with a countdown: `lead_ms` before the photo "
            + "(`lead`), or when the countdown begins (`countdown`).")
    static let maximum = TypedKey.integer(
        table, "maximum_ms", default: 1000, in: 1...10000, unit: "ms",
        help: "The longest time that the light stays on, counted for each photo from its lead.")
    static let all = [line.key, activeLow.key, lead.key, start.key, maximum.key]
}
