// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
internal import GRDB
public import Media

/// A value to compare an ``AssetKey`` with. Its JSON is the bare number or string.
public enum AssetValue: Hashable, Sendable {
    /// An integer, a time in nanoseconds since 1970, or a Boolean as 0 or 1.
    case integer(Int64)
    case number(Double)
    /// A text, compared by code points. Ids and enumeration cases have their JSON form.
    case text(String)

    /// Whether this value is less in SQLite's order. Two values are equal if neither is less.
    package func isLess(than other: AssetValue) -> Bool {
        switch (self, other) {
        case (.integer(let one), .integer(let other)): one < other
        case (.number(let one), .number(let other)): one < other
        case (.integer(let one), .number(let other)): Double(one) < other
        case (.number(let one), .integer(let other)): one < Double(other)
        case (.text(let one), .text(let other)): isBefore(one, other)
        default: false
        }
    }

    var databaseValue: DatabaseValue {
        switch self {
        case .integer(let value): value.databaseValue
        case .number(let value): value.databaseValue
        case .text(let value): value.databaseValue
        }
    }
}

extension AssetValue: Codable {
    /// Reads a number or a string; throws for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// Writes the bare value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        }
    }
}

/// A type of an asset's properties.
public protocol AssetValueConvertible: Sendable {
    /// The value to compare by.
    var assetValue: AssetValue { get }
}

extension Int: AssetValueConvertible {
    /// The same number.
    public var assetValue: AssetValue { .integer(Int64(self)) }
}

extension Int64: AssetValueConvertible {
    /// The same number.
    public var assetValue: AssetValue { .integer(self) }
}

extension Bool: AssetValueConvertible {
    /// 1 for `true` and 0 for `false`.
    public var assetValue: AssetValue { .integer(self ? 1 : 0) }
}

extension Double: AssetValueConvertible {
    /// The same number. Fetches refuse infinities and NaN.
    public var assetValue: AssetValue { .number(self) }
}

extension String: AssetValueConvertible {
    /// The same text.
    public var assetValue: AssetValue { .text(self) }
}

extension UUID: AssetValueConvertible {
    /// The id in lower case, as ids are written everywhere.
    public var assetValue: AssetValue { .text(text) }
}

extension WallTime: AssetValueConvertible {
    /// Nanoseconds since 1970, without the offset.
    public var assetValue: AssetValue { .integer(nanoseconds) }
}

extension MediaTime: AssetValueConvertible {
    /// Seconds, with the precision of a `Double`.
    public var assetValue: AssetValue { .number(seconds) }
}

extension MediaSubtypes: AssetValueConvertible {
    /// The bits of all subtypes.
    public var assetValue: AssetValue { .integer(rawValue) }
}

extension AssetValueConvertible where Self: RawRepresentable<String> {
    /// The name of the case.
    public var assetValue: AssetValue { .text(rawValue) }
}

extension Asset.MediaType: AssetValueConvertible {}
extension Asset.TimeConfidence: AssetValueConvertible {}
extension Asset.ShutterReference: AssetValueConvertible {}
