// SPDX-License-Identifier: GPL-3.0-or-later

/// Which assets are wanted: a typed predicate over everything ``Asset`` tells.
///
/// A missing value is equal to no value but `nil`, and neither lower nor higher than any.
public indirect enum AssetFilter: Hashable, Sendable {
    /// How two values are compared.
    public enum Comparison: String, Hashable, Sendable, Codable, CaseIterable {
        case equal, less, lessOrEqual, greater, greaterOrEqual
        /// The text contains the value; case and accents do not count.
        case contains
    }

    /// With `nil` only `equal` finds anything: those without a value.
    case comparison(AssetKey, Comparison, AssetValue?)
    /// Those with one of these values.
    case membership(AssetKey, [AssetValue])
    /// Those that have this keyword, in upper or lower case.
    case keyword(String)
    /// Finds assets whose caption, keywords or file name contains this text; case and accents do not count.
    case text(String)
    /// Those that are all of this.
    case subtypes(MediaSubtypes)
    /// Those that fit each; of an empty list all assets.
    case all([AssetFilter])
    /// Those that fit one at least; of an empty list none.
    case any([AssetFilter])
    /// Those that do not fit.
    case not(AssetFilter)

    /// Those that fit both.
    public static func && (one: AssetFilter, other: AssetFilter) -> AssetFilter {
        .all([one, other])
    }

    /// Those that fit one at least.
    public static func || (one: AssetFilter, other: AssetFilter) -> AssetFilter {
        .any([one, other])
    }

    /// Those that do not fit.
    public static prefix func ! (filter: AssetFilter) -> AssetFilter { .not(filter) }

    /// Whether the asset, as it was when read, is among those that are wanted.
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
