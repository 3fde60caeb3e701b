// SPDX-License-Identifier: GPL-3.0-or-later

/// Returns bytes in lower-case hexadecimal.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}

extension [UInt8] {
    /// Parses hexadecimal digits, two for each byte; `nil` for anything else.
    package init?(hexadecimal text: String) {
        let digits = text.utf8.map { UInt8(Character(UnicodeScalar($0)).hexDigitValue ?? 16) }
        guard digits.count % 2 == 0, !digits.contains(16) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
