// SPDX-License-Identifier: GPL-3.0-or-later

/// The text in a C array of characters, which Swift sees as a tuple, up to the first zero.
public func text<Tuple>(_ characters: Tuple) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
