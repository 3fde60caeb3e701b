// SPDX-License-Identifier: GPL-3.0-or-later

/// A typed predicate over the properties of ``Asset``.
///
/// A missing value equals only `nil`, and is neither lower nor higher than any value.
public indirect enum AssetFilter: Hashable, Sendable {
    /// A comparison of two values.
    public enum Comparison: String, Hashable, Sendable, Codable, CaseIterable {
        case equal, less, lessOrEqual, greater, greaterOrEqual
        /// The text contains the value, regardless of case and accents.
        case contains
    }

    /// Assets whose property compares so with the value. A value of `nil` finds assets without one
    /// if the comparison is `equal`, otherwise none.
    case comparison(AssetKey, Comparison, AssetValue?)
    /// Assets whose property has one of these values.
    case membership(AssetKey, [AssetValue])
    /// Assets with this keyword, regardless of case.
    case keyword(String)
    /// Assets with this text in caption, keywords or file name, regardless of case and accents.
    case text(String)
    /// Assets with all of these subtypes.
    case subtypes(MediaSubtypes)
    /// Assets that match every filter; all assets for an empty list.
    case all([AssetFilter])
    /// Assets that match at least one filter; none for an empty list.
    case any([AssetFilter])
    case not(AssetFilter)

    /// Finds assets that match both filters.
    public static func && (one: AssetFilter, other: AssetFilter) -> AssetFilter {
        .all([one, other])
    }

    /// Finds assets that match at least one filter.
    public static func || (one: AssetFilter, other: AssetFilter) -> AssetFilter {
        .any([one, other])
    }

    /// Finds assets that do not match.
    public static prefix func ! (filter: AssetFilter) -> AssetFilter { .not(filter) }

    /// Whether an asset, as it was when read, matches the filter.
    public func matches(_ asset: Asset) -> Bool {
        switch self {
        case .comparison(let key, let comparison, let wanted):
            Self.holds(key.value(of: asset), comparison, wanted)
        case .membership(let key, let wanted):
            wanted.contains { Self.holds(key.value(of: asset), .equal, $0) }
        case .keyword(let wanted):
            asset.keywords.contains { TextSearch.folded($0) == TextSearch.folded(wanted) }
        case .text(let part):
            ([asset.fileName] + [asset.caption].compactMap(\.self) + asset.keywords)
                .contains { TextSearch.occurs(part, in: $0) }
        case .subtypes(let wanted): asset.mediaSubtypes.isSuperset(of: wanted)
        case .all(let filters): filters.allSatisfy { $0.matches(asset) }
        case .any(let filters): filters.contains { $0.matches(asset) }
        case .not(let filter): !filter.matches(asset)
        }
    }

    private static func holds(
        _ value: AssetValue?, _ comparison: Comparison, _ wanted: AssetValue?
    ) -> Bool {
        guard let value, let wanted else {
            return comparison == .equal && value == nil && wanted == nil
        }
        switch comparison {
        case .equal: return !value.isLess(than: wanted) && !wanted.isLess(than: value)
        case .less: return value.isLess(than: wanted)
        case .lessOrEqual: return !wanted.isLess(than: value)
        case .greater: return wanted.isLess(than: value)
        case .greaterOrEqual: return !value.isLess(than: wanted)
        case .contains:
            guard case .text(let text) = value, case .text(let part) = wanted else { return false }
            return TextSearch.occurs(part, in: text)
        }
    }
}
