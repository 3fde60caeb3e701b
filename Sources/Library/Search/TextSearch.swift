// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGLib
internal import GRDB

/// Finding words in any alphabet: SQLite itself folds the case of ASCII only.
enum TextSearch {
    /// In lower case and in one spelling: an accent can be a character of its own or not. Keywords are the same if
    /// this is.
    static func folded(_ text: String) -> String {
        normalized(text.lowercased(), G_NORMALIZE_DEFAULT_COMPOSE)
    }

    /// Folds a text as ``folded(_:)`` does, and removes accents and other marks that many people leave out when they
    /// type, such as Arabic and Hebrew vowels. Marks that make another letter stay, such as the Japanese voicing mark.
    static func searchable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in normalized(text.lowercased(), G_NORMALIZE_ALL).unicodeScalars
        where scalar.properties.canonicalCombiningClass.rawValue < 10 {
            scalars.append(scalar)
        }
        return String(scalars).lowercased()
    }

    /// Whether a text occurs in another, whatever the case and the accents.
    static func occurs(_ part: String, in text: String) -> Bool {
        let (part, text) = (searchable(part), searchable(text))
        // By scalars: a letter and a mark behind it count as two.
        return part.isEmpty || text.utf8.contains(part.utf8)
    }

    /// `text_contains(text, part)`; NULL when either is.
    static let contains = DatabaseFunction("text_contains", argumentCount: 2, pure: true) {
        guard let text = String.fromDatabaseValue($0[0]),
            let part = String.fromDatabaseValue($0[1])
        else { return nil }
        return occurs(part, in: text)
    }

    private static func normalized(_ text: String, _ mode: GNormalizeMode) -> String {
        guard let normal = unsafe g_utf8_normalize(text, text.utf8.count, mode) else { return text }
        defer { unsafe g_free(normal) }
        return unsafe String(cString: normal)
    }
}
