// SPDX-License-Identifier: GPL-3.0-or-later

/// A GPIO line by names that stay the same between boots: `CHIP:LINE`. CHIP is the chip's label (or
/// its name, `gpiochip0`); LINE is the line's name or number.
public struct GPIOLineName: Sendable, Hashable, CustomStringConvertible {
    /// The chip's label or name. It may contain colons, as ACPI's labels do.
    public let chip: String
    /// The line's name, or its number on the chip.
    public let line: String

    /// The line's number on the chip; nil if the line is given by name.
    public var offset: Int? {
        line.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(line) : nil
    }

    /// Splits `text` at its last colon. Returns nil if either side is empty.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        chip = String(text[..<colon])
        line = String(text[text.index(after: colon)...])
        if chip.isEmpty || line.isEmpty { return nil }
    }

    /// `CHIP:LINE`.
    public var description: String { "\(chip):\(line)" }
}
