// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGLib
internal import GRDB

/// Finding words in any alphabet: SQLite itself folds the case of ASCII only.
enum TextSearch {
    /// In lower case and in one spelling: an accent can be a character of its own or not.
    static func folded(_ text: String) -> String {
        let lowercased = text.lowercased()
        guard
            let composed = unsafe g_utf8_normalize(
                lowercased, lowercased.utf8.count, G_NORMALIZE_DEFAULT_COMPOSE)
        else { return lowercased }
        defer { unsafe g_free(composed) }
        return unsafe String(cString: composed)
    }

    static func occurs(_ part: String, in text: String) -> Bool {
        part.isEmpty || folded(text).contains(folded(part))
    }

    /// `text_contains(text, part)`; NULL when either is.
    static let contains = DatabaseFunction("text_contains", argumentCount: 2, pure: true) {
        guard let text = String.fromDatabaseValue($0[0]),
            let part = String.fromDatabaseValue($0[1])
        else { return nil }
        return occurs(part, in: text)
    }
}
