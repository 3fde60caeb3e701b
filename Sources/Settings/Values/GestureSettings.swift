// SPDX-License-Identifier: GPL-3.0-or-later

/// The timing of gestures. A button waits only for gestures that have an action.
public struct GestureSettings: Sendable, Equatable {
    /// The longest time between the two presses of a double press.
    public var doublePressMilliseconds: Int
    /// How long a press must be held to be a long press or hold.
    public var longPressMilliseconds: Int
    /// The longest time between the first and the last press of a chord.
    public var chordMilliseconds: Int

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, GestureKeys.table)
        doublePressMilliseconds = decoder.value(GestureKeys.doublePress, in: table)
        longPressMilliseconds = decoder.value(GestureKeys.longPress, in: table)
        chordMilliseconds = decoder.value(GestureKeys.chord, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(GestureKeys.table)
        writer.write(GestureKeys.doublePress, doublePressMilliseconds)
        writer.write(GestureKeys.longPress, longPressMilliseconds)
        writer.write(GestureKeys.chord, chordMilliseconds)
    }
}
