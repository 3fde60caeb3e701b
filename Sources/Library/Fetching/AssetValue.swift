// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
internal import GRDB
public import Media

/// What an ``AssetKey`` is compared with. As JSON the bare number or string.
public enum AssetValue: Hashable, Sendable {
    /// Numbers without fraction, moments in nanoseconds since 1970, and 0 and 1 for "is it so".
    case integer(Int64)
    case number(Double)
    /// Compared by code points; ids and names of enumeration cases as JSON writes them.
    case text(String)

    /// As SQLite orders numbers, and texts; what is neither less nor more is equal.
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
    /// Throws for anything but a number or a string.
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

/// What a property of an asset can be.
public protocol AssetValueConvertible: Sendable {
    /// What it is compared as.
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
    /// 1 and 0.
    public var assetValue: AssetValue { .integer(self ? 1 : 0) }
}

extension Double: AssetValueConvertible {
    /// The same number; infinities and NaN are refused by fetches.
    public var assetValue: AssetValue { .number(self) }
}

extension String: AssetValueConvertible {
    /// The same text.
    public var assetValue: AssetValue { .text(self) }
}

extension UUID: AssetValueConvertible {
    /// As ids are written: in lower case.
    public var assetValue: AssetValue { .text(text) }
}

extension WallTime: AssetValueConvertible {
    /// Nanoseconds since 1970; the offset does not count.
    public var assetValue: AssetValue { .integer(nanoseconds) }
}

extension MediaTime: AssetValueConvertible {
    /// Seconds, to what a `Double` holds.
    public var assetValue: AssetValue { .number(seconds) }
}

extension MediaSubtypes: AssetValueConvertible {
    /// All bits.
    public var assetValue: AssetValue { .integer(rawValue) }
}

extension AssetValueConvertible where Self: RawRepresentable<String> {
    /// The case's name.
    public var assetValue: AssetValue { .text(rawValue) }
}

extension Asset.MediaType: AssetValueConvertible {}
extension Asset.TimeConfidence: AssetValueConvertible {}
extension Asset.ShutterReference: AssetValueConvertible {}
