// SPDX-License-Identifier: GPL-3.0-or-later

extension String {
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Returns the text, or the beginning that fits and an ellipsis.
    func shortened(toColumns width: Int) -> String {
        if columns <= width { return self }
        var beginning = self
        while !beginning.isEmpty, beginning.columns + 1 > width { beginning.removeLast() }
        return beginning + "…"
    }
}

extension Character {
    fileprivate var columns: Int { unicodeScalars.contains(where: \.isWide) ? 2 : 1 }
}

extension Unicode.Scalar {
    private static let emojiSelector = 0xFE0F as UInt32

    /// Whether the scalar is an emoji, or wide or fullwidth by East Asian Width (UAX #11).
    fileprivate var isWide: Bool {
        if properties.isEmojiPresentation || value == Self.emojiSelector { return true }
        return switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
