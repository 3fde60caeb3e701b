// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// Finding words in any alphabet: SQLite itself folds the case of ASCII only.
enum TextSearch {
    static func occurs(_ part: String, in text: String) -> Bool {
        part.isEmpty || text.lowercased().contains(part.lowercased())
    }

    /// `text_contains(text, part)`; NULL when either is.
    static let contains = DatabaseFunction("text_contains", argumentCount: 2, pure: true) {
        guard let text = String.fromDatabaseValue($0[0]),
            let part = String.fromDatabaseValue($0[1])
        else { return nil }
        return occurs(part, in: text)
    }
}
