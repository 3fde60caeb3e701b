// SPDX-License-Identifier: GPL-3.0-or-later

/// Returns the text before the first zero of a C array, which Swift imports as a tuple.
public func text<Tuple>(_ characters: Tuple) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
