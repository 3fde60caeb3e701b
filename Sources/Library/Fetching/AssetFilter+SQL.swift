// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import GRDB

/// A part of a WHERE clause and its arguments.
struct Condition {
    var sql: String
    var arguments: [DatabaseValue] = []

    init(_ sql: String, _ arguments: [DatabaseValue] = []) {
        self.sql = sql
        self.arguments = arguments
    }

    static func joined(_ parts: [Condition], _ word: String) -> Condition {
        Condition(
            parts.map { "(\($0.sql))" }.joined(separator: " \(word) "),
            parts.flatMap(\.arguments))
    }
}

extension AssetFilter {
    /// Returns SQL that requires all `filters`; `nil` for none. NULL counts as no match, like in
    /// ``matches(_:)``. SQLite must not use an index for the properties in `unindexed`.
    /// - Throws: `invalidValue` for a value of another type than its property, and for a filter
    ///   that is too large.
    static func condition(
        all filters: [AssetFilter], unindexed: [AssetKey] = []
    ) throws(LibraryError) -> Condition? {
        if filters.isEmpty { return nil }
        let condition = try AssetFilter.all(filters).condition(unindexed, depth: 0)
        let count = AssetFilter.all(filters).comparisons
        guard count <= most else {
            throw LibraryError(
                .invalidValue, "filter: \(count) comparisons, allowed: at most \(most)")
        }
        return condition
    }

    /// Limits of depth and size, because SQLite limits its parser, expression trees and variables.
    private static let deepest = 40
    private static let most = 500

    private var comparisons: Int {
        switch self {
        case .all(let filters), .any(let filters):
            max(1, filters.reduce(0) { $0 + $1.comparisons })
        case .membership(_, let values): max(1, values.count)
        case .not(let filter): filter.comparisons
        default: 1
        }
    }

    private func condition(
        _ unindexed: [AssetKey], depth: Int
    ) throws(LibraryError) -> Condition {
        guard depth <= Self.deepest else {
            throw LibraryError(.invalidValue, "filter: allowed: at most \(Self.deepest) levels")
        }
        switch self {
        case .comparison(let key, .equal, nil):
            return Condition("\(key.expression) IS NULL")
        case .comparison(_, _, nil):
            return Condition("FALSE")
        case .comparison(let key, .contains, let value?):
            // NOT NULL skips assets without a value; an index knows those with a caption.
            return Condition(
                "\(key.expression) IS NOT NULL AND text_contains(\(key.expression), ?)",
                [try key.checked(value, for: .contains).databaseValue])
        case .comparison(let key, let comparison, let value?):
            return try key.condition(
                comparison.sign, value, isIndexed: !unindexed.contains(key))
        case .membership(let key, let values):
            return try Self.joined(
                values.map { .comparison(key, .equal, $0) }, "OR", ifEmpty: "FALSE", unindexed,
                depth)
        case .keyword(let keyword):
            guard !keyword.utf8.contains(0) else {
                throw LibraryError(.invalidValue, "filter: the keyword contains NUL")
            }
            return Condition(
                "sequence IN (SELECT asset FROM asset_keyword WHERE folded = ?)",
                [TextSearch.folded(keyword).databaseValue])
        case .text(let part):
            guard !part.utf8.contains(0) else {
                throw LibraryError(.invalidValue, "filter: the text contains NUL")
            }
            let value = part.databaseValue
            return Condition(
                """
                text_contains(file_name, ?) OR text_contains(caption, ?) OR EXISTS (
                    SELECT 1 FROM asset_keyword WHERE asset = sequence
                        AND text_contains(keyword, ?))
                """, [value, value, value])
        case .subtypes(let subtypes):
            let bits = subtypes.rawValue
            return Condition("subtypes & \(bits) = \(bits)")
        case .all(let filters):
            return try Self.joined(filters, "AND", ifEmpty: "TRUE", unindexed, depth)
        case .any(let filters):
            return try Self.joined(filters, "OR", ifEmpty: "FALSE", unindexed, depth)
        case .not(.comparison(let key, .equal, nil)):
            return Condition("\(key.expression) IS NOT NULL")
        case .not(let filter):
            let condition = try filter.condition(unindexed, depth: depth + 1)
            return Condition("(\(condition.sql)) IS NOT TRUE", condition.arguments)
        }
    }

    private static func joined(
        _ filters: [AssetFilter], _ word: String, ifEmpty: String, _ unindexed: [AssetKey],
        _ depth: Int
    ) throws(LibraryError) -> Condition {
        var parts: [Condition] = []
        for filter in filters { parts.append(try filter.condition(unindexed, depth: depth + 1)) }
        return parts.isEmpty ? Condition(ifEmpty) : .joined(parts, word)
    }
}

extension AssetFilter.Comparison {
    fileprivate var sign: String {
        switch self {
        case .equal, .contains: "="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}

extension AssetKey {
    fileprivate func condition(
        _ sign: String, _ value: AssetValue, isIndexed: Bool
    ) throws(LibraryError) -> Condition {
        let value = try checked(value)
        switch (self, value) {
        case (.sha256, .text(let text)) where sign == "=":
            // The index has the bytes, not their digits.
            return text.utf8.count == 64 && text.allSatisfy { "0123456789abcdef".contains($0) }
                ? Condition("sha256 = x'\(text)'") : Condition("FALSE")
        case (.mediaType, .text(let text)) where Asset.MediaType(rawValue: text) != nil:
            // SQLite uses a partial index only for the literal condition of that index.
            return Condition("media_type \(sign) '\(text)'")
        case (_, .integer(let number)) where isFlag:
            return Condition("\(expression) \(sign) \(number)")
        default:
            return Condition(
                "\(isIndexed ? "" : "+")\(expression) \(sign) ?", [value.databaseValue])
        }
    }

    private var isFlag: Bool {
        [.isFavorite, .isHidden, .representsBurst, .recovered].contains(self)
    }

    /// Returns a value in this property's type; throws `invalidValue` if it does not fit.
    func checked(
        _ value: AssetValue, for comparison: AssetFilter.Comparison = .equal
    ) throws(LibraryError) -> AssetValue {
        switch (kind, value) {
        case (.text, .text(let text)) where !text.utf8.contains(0):
            return value
        case (.integer, .integer) where comparison != .contains:
            return value
        case (.number, .integer(let number)) where comparison != .contains:
            return .number(Double(number))
        case (.number, .number(let number)) where number.isFinite && comparison != .contains:
            return value
        default:
            throw LibraryError(
                .invalidValue, "filter: \(rawValue) is \(kind.name), and \(value) is not")
        }
    }
}

extension AssetKey.Kind {
    fileprivate var name: String {
        switch self {
        case .integer: "a number without fraction"
        case .number: "a number"
        case .text: "text"
        }
    }
}

extension AssetFilter {
    /// The text to search for and its column (`nil` for all columns); `nil` for other filters.
    var searched: (text: String, column: SearchIndex.Column?)? {
        switch self {
        case .comparison(.caption, .contains, .text(let text)?): (text, .caption)
        case .comparison(.fileName, .contains, .text(let text)?): (text, .fileName)
        case .text(let text): (text, nil)
        default: nil
        }
    }
}
