// SPDX-License-Identifier: GPL-3.0-or-later

/// A GPIO line by the names that do not change between boots: `CHIP:LINE`, where CHIP is the
/// chip's label (or its name, `gpiochip0`) and LINE the line's name or number.
public struct GPIOLineName: Sendable, Hashable, CustomStringConvertible {
    /// The chip's label or name; may itself contain colons, as ACPI's labels do.
    public let chip: String
    /// The line's name, or its number on the chip.
    public let line: String

    /// The number on the chip, where the line is given by number.
    public var offset: Int? {
        line.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(line) : nil
    }

    /// Splits `text` at its last colon; nil if a side is empty.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        chip = String(text[..<colon])
        line = String(text[text.index(after: colon)...])
        if chip.isEmpty || line.isEmpty { return nil }
    }

    /// `CHIP:LINE`.
    public var description: String { "\(chip):\(line)" }
}
