// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials

/// Any JSON value, for data that is passed on without being interpreted.
public enum JSONValue: Sendable, Equatable, Codable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Decodes any value. A number that fits `Int64` becomes an `integer`, any other a `number`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes the bare value, without its case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// Converts any encodable value; throws the errors of encoding.
    public init(encoding value: some Encodable) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
    }

    /// Decodes a `Value` from this JSON. Throws ``CommandError`` `request.invalid`, which names
    /// what does not match.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: JSONEncoder().encode(self))
        } catch let error as DecodingError {
            throw CommandError("request.invalid", "request: \(error.reason)", exit: .usage)
        }
    }

    /// The text of a `string`; `nil` for any other case.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The elements of an `array`; `nil` for any other case.
    public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The value of a `bool`; `nil` for any other case, also for the numbers 0 and 1.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The value of a `number` or `integer`; `nil` for any other case.
    public var doubleValue: Double? {
        switch self {
        case .number(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
    /// The value of an `integer`; `nil` for any other case.
    public var integerValue: Int? {
        if case .integer(let value) = self { Int(exactly: value) } else { nil }
    }
}

extension DecodingError {
    fileprivate var reason: String {
        let context =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context),
                .keyNotFound(_, let context), .dataCorrupted(let context):
                context
            @unknown default: Context(codingPath: [], debugDescription: "\(self)")
            }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return (path.isEmpty ? "" : "\(path): ") + context.debugDescription
    }
}

/// Encodes a value as JSON on one line, with sorted keys and unescaped slashes.
public func jsonLine(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
