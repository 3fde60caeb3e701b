// SPDX-License-Identifier: GPL-3.0-or-later

/// How gestures are told apart. A button waits only for what is mapped to it.
public struct GestureSettings: Sendable, Equatable {
    /// From one press to the second of a double press.
    public var doublePressMilliseconds: Int
    /// How long a long press or hold is held before it counts.
    public var longPressMilliseconds: Int
    /// From a chord's first button to its last.
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
