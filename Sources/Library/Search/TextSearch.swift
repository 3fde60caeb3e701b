// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGLib
internal import GRDB

/// Text comparison for any script. SQLite itself folds only the case of ASCII.
enum TextSearch {
    /// Returns the text in lower case and NFC. Two keywords are equal if their folded forms are.
    static func folded(_ text: String) -> String {
        normalized(text.lowercased(), G_NORMALIZE_DEFAULT_COMPOSE)
    }

    /// Folds a text like ``folded(_:)``, and removes accents and other marks that many people do
    /// not type, such as Arabic and Hebrew vowels. Marks that make another letter stay, such as the
    /// Japanese voicing mark.
    static func searchable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in normalized(text.lowercased(), G_NORMALIZE_ALL).unicodeScalars
        where scalar.properties.canonicalCombiningClass.rawValue < 10 {
            scalars.append(scalar)
        }
        return String(scalars).lowercased()
    }

    /// Whether a text contains another, regardless of case and accents.
    static func occurs(_ part: String, in text: String) -> Bool {
        let (part, text) = (searchable(part), searchable(text))
        // Compares code points, not characters: a letter and a mark after it count as two.
        return part.isEmpty || text.utf8.contains(part.utf8)
    }

    /// The SQL function `text_contains(text, part)`. It returns NULL if either argument is NULL.
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
