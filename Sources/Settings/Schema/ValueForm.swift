// SPDX-License-Identifier: GPL-3.0-or-later

/// The values that a key may have, and their conversion between TOML and Swift.
struct ValueForm<Value: Sendable>: Sendable {
    enum Decoded {
        case value(Value)
        case wrongType
        case outOfRange
        case notAllowed
    }

    let type: SettingsKey.ValueType
    var unit: String?
    let allowed: SettingsKey.Allowed
    let decode: @Sendable (TOMLValue) -> Decoded
    /// Returns the value as a file writes it.
    let encode: @Sendable (Value) -> String

    /// Returns the same form for another Swift type. The two functions must be inverse.
    func map<Other>(
        _ forward: @escaping @Sendable (Value) -> Other,
        back: @escaping @Sendable (Other) -> Value
    ) -> ValueForm<Other> {
        ValueForm<Other>(
            type: type, unit: unit, allowed: allowed,
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

extension ValueForm where Value: Equatable {
    /// Returns the same form, where nil in Swift is `none` in the file.
    func optional(none: Value) -> ValueForm<Value?> {
        map({ $0 == none ? nil : $0 }, back: { $0 ?? none })
    }
}

extension ValueForm<Bool> {
    static let boolean = Self(
        type: .boolean, allowed: .any,
        decode: { value in
            guard case .boolean(let boolean) = value else { return .wrongType }
            return .value(boolean)
        },
        encode: { String($0) })
}

extension ValueForm<Int> {
    static func integer(in ranges: ClosedRange<Int>..., unit: String? = nil) -> Self {
        integer(in: ranges, unit: unit)
    }

    fileprivate static func integer(in ranges: [ClosedRange<Int>], unit: String?) -> Self {
        Self(
            type: .integer, unit: unit, allowed: .integers(ranges),
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

extension ValueForm<Int?> {
    /// An integer that is nil in Swift and 0 in the file.
    static func integer(in ranges: ClosedRange<Int>..., unit: String? = nil) -> Self {
        ValueForm<Int>.integer(in: ranges, unit: unit).optional(none: 0)
    }
}

extension ValueForm<Double> {
    static func number(in ranges: ClosedRange<Double>..., unit: String? = nil) -> Self {
        number(in: ranges, unit: unit)
    }

    fileprivate static func number(in ranges: [ClosedRange<Double>], unit: String?) -> Self {
        Self(
            type: .number, unit: unit, allowed: .numbers(ranges),
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

extension ValueForm<Double?> {
    /// A number that is nil in Swift and 0 in the file.
    static func number(in ranges: ClosedRange<Double>..., unit: String? = nil) -> Self {
        ValueForm<Double>.number(in: ranges, unit: unit).optional(none: 0)
    }
}

extension ValueForm<String> {
    static func text(_ form: TextForm) -> Self {
        Self(
            type: .text, allowed: .form(form.description),
            decode: { value in
                guard case .string(let text) = value else { return .wrongType }
                return form.accepts(text) ? .value(text) : .notAllowed
            },
            encode: TOMLText.quoted)
    }

    static func choice(of words: [String]) -> Self {
        Self(
            type: .choice, allowed: .choices(words),
            decode: { value in
                guard case .string(let text) = value else { return .wrongType }
                return words.contains(text) ? .value(text) : .notAllowed
            },
            encode: TOMLText.quoted)
    }
}

extension ValueForm<String?> {
    /// A text that is nil in Swift and `none` in the file.
    static func text(_ form: TextForm, none: String = "") -> Self {
        ValueForm<String>.text(form).optional(none: none)
    }
}

extension ValueForm
where Value: RawRepresentable & CaseIterable & Equatable, Value.RawValue == String {
    static var choice: Self {
        // Decoding accepts only the raw values of the cases.
        ValueForm<String>.choice(of: Value.allCases.map(\.rawValue))
            .map(
                { Value(rawValue: $0) ?? Value.allCases[Value.allCases.startIndex] },
                back: \.rawValue)
    }
}

extension ValueForm<GPIOLineName?> {
    static let line = ValueForm<String>.text(.gpioLine)
        .map(GPIOLineName.init, back: { $0?.description ?? "" })
}

extension ValueForm<MountRotation> {
    static let rotation = ValueForm<Int>.integer(
        in: 0...0, 90...90, 180...180, 270...270, unit: "degrees"
    ).map({ MountRotation(rawValue: $0) ?? .degrees0 }, back: \.rawValue)
}

extension ValueForm<DailyPeriod?> {
    static let dailyPeriod = ValueForm<String>.text(.dailyPeriod)
        .map({ DailyPeriod($0) }, back: { $0?.description ?? "" })
}

extension ValueForm<AccessSettings.Accounts> {
    /// Names, separated by spaces.
    static let accounts = ValueForm<String>.text(.line)
        .map({ $0.split(separator: " ").map(String.init) }, back: { $0.joined(separator: " ") })
}
