// SPDX-License-Identifier: GPL-3.0-or-later

/// A key of the schema with the conversion between its TOML value and its Swift value.
struct TypedKey<Value: Sendable>: Sendable {
    enum Decoded {
        case value(Value)
        case wrongType
        case outOfRange
        case notAllowed
    }

    let key: SettingsKey
    let defaultValue: Value
    let decode: @Sendable (TOMLValue) -> Decoded
    /// Returns the value as a file writes it.
    let encode: @Sendable (Value) -> String

    /// Returns the same key for another Swift type. The two functions must be inverse.
    func map<Other>(
        _ forward: @escaping @Sendable (Value) -> Other,
        back: @escaping @Sendable (Other) -> Value
    ) -> TypedKey<Other> {
        TypedKey<Other>(
            key: key, defaultValue: forward(defaultValue),
            decode: { [decode] value in
                switch decode(value) {
                case .value(let decoded): .value(forward(decoded))
                case .wrongType: .wrongType
                case .outOfRange: .outOfRange
                case .notAllowed: .notAllowed
                }
            },
            encode: { [encode] other in encode(back(other)) })
    }
}

extension TypedKey where Value: Equatable {
    /// Returns the same key, where nil in Swift is `none` in the file.
    func optional(none: Value) -> TypedKey<Value?> {
        map({ $0 == none ? nil : $0 }, back: { $0 ?? none })
    }
}

extension TypedKey where Value == Bool {
    static func boolean(
        _ table: SettingsTable, _ name: String, default defaultValue: Bool, help: String
    ) -> Self {
        Self(
            key: SettingsKey(
                table: table.name, name: name, type: .boolean,
                defaultValue: String(defaultValue), unit: nil, allowed: .any, help: help),
            defaultValue: defaultValue,
            decode: { value in
                guard case .boolean(let boolean) = value else { return .wrongType }
                return .value(boolean)
            },
            encode: { String($0) })
    }
}

extension TypedKey where Value == Int {
    static func integer(
        _ table: SettingsTable, _ name: String, default defaultValue: Int,
        in ranges: ClosedRange<Int>..., unit: String? = nil, help: String
    ) -> Self {
        Self(
            key: SettingsKey(
                table: table.name, name: name, type: .integer,
                defaultValue: String(defaultValue), unit: unit, allowed: .integers(ranges),
                help: help),
            defaultValue: defaultValue,
            decode: { value in
                guard case .integer(let wide) = value else { return .wrongType }
                guard let integer = Int(exactly: wide),
                    ranges.contains(where: { $0.contains(integer) })
                else { return .outOfRange }
                return .value(integer)
            },
            encode: { String($0) })
    }
}

extension TypedKey where Value == Double {
    static func number(
        _ table: SettingsTable, _ name: String, default defaultValue: Double,
        in ranges: ClosedRange<Double>..., unit: String? = nil, help: String
    ) -> Self {
        Self(
            key: SettingsKey(
                table: table.name, name: name, type: .number,
                defaultValue: String(defaultValue), unit: unit, allowed: .numbers(ranges),
                help: help),
            defaultValue: defaultValue,
            decode: { value in
                let number: Double
                switch value {
                case .float(let float): number = float
                case .integer(let integer): number = Double(integer)
                default: return .wrongType
                }
                let isAllowed = ranges.contains { $0.contains(number) }
                return isAllowed ? .value(number) : .outOfRange
            },
            encode: { String($0) })
    }
}

extension TypedKey where Value == String {
    static func text(
        _ table: SettingsTable, _ name: String, default defaultValue: String, _ form: TextForm,
        help: String
    ) -> Self {
        Self(
            key: SettingsKey(
                table: table.name, name: name, type: .text,
                defaultValue: TOMLText.quoted(defaultValue), unit: nil,
                allowed: .form(form.description), help: help),
            defaultValue: defaultValue,
            decode: { value in
                guard case .string(let text) = value else { return .wrongType }
                return form.accepts(text) ? .value(text) : .notAllowed
            },
            encode: TOMLText.quoted)
    }

    static func choice(
        _ table: SettingsTable, _ name: String, default defaultValue: String,
        of words: [String], help: String
    ) -> Self {
        Self(
            key: SettingsKey(
                table: table.name, name: name, type: .choice,
                defaultValue: TOMLText.quoted(defaultValue), unit: nil,
                allowed: .choices(words), help: help),
            defaultValue: defaultValue,
            decode: { value in
                guard case .string(let text) = value else { return .wrongType }
                return words.contains(text) ? .value(text) : .notAllowed
            },
            encode: TOMLText.quoted)
    }
}

extension TypedKey
where Value: RawRepresentable & CaseIterable & Equatable, Value.RawValue == String {
    static func choice(
        _ table: SettingsTable, _ name: String, default defaultValue: Value, help: String
    ) -> Self {
        let words = TypedKey<String>.choice(
            table, name, default: defaultValue.rawValue, of: Value.allCases.map(\.rawValue),
            help: help)
        // Decoding accepts only the raw values of the cases, so the fallback is never used.
        return words.map({ Value(rawValue: $0) ?? defaultValue }, back: \.rawValue)
    }
}
