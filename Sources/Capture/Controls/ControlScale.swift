// SPDX-License-Identifier: GPL-3.0-or-later

internal import V4L2

/// A conversion between a driver's numbers and the values of a ``CameraControl``.
struct ControlScale {
    let raw: VideoControl
    /// The words that can be chosen, with the raw value of each.
    private let words: [(word: String, raw: Int64)]
    /// The word for each raw value, including words that cannot be chosen.
    private let meanings: [Int64: String]
    /// The items of an integer menu; otherwise empty.
    private let items: [VideoControl.MenuItem]
    private let unit: Unit

    private enum Unit {
        case word
        /// The number of our units in one of the driver's.
        case factor(Double)
        /// The position between the lowest value, 0, and the highest, 1.
        case share
        /// A multiple of the lowest value.
        case multiple
        /// The number of steps above the lowest value, plus one.
        case steps
    }

    init(_ control: CameraControl, _ raw: VideoControl, _ menu: [VideoControl.MenuItem]) {
        self.raw = raw
        let offered = Set(menu.map(\.index))
        let isOffered = { (value: Int64) in
            raw.isMenu ? offered.contains(value) : (raw.minimum...raw.maximum).contains(value)
        }
        let named = control.words ?? []
        words = named.compactMap { named in
            named.raw.first(where: isOffered).map { (named.word, $0) }
        }
        meanings = Dictionary(
            named.flatMap { named in named.raw.map { ($0, named.word) } },
            uniquingKeysWith: { first, _ in first })
        items = control == .exposureTargetBias ? menu : []
        unit =
            switch control {
            case _ where control.words != nil: .word
            case .exposureDuration: .factor(100)
            case .exposureTargetBias: .factor(raw.isMenu ? 0.001 : 1)
            case .lensPosition: .share
            case .videoZoomFactor: raw.minimum > 0 ? .multiple : .steps
            default: .factor(1)
            }
    }

    /// Returns whether the driver's range is usable: ordered, and within the kernel's 32-bit
    /// numbers. Some drivers report a range that is not.
    static func makesSense(_ raw: VideoControl) -> Bool {
        let numbers = Int64(Int32.min)...Int64(UInt32.max)
        return raw.minimum <= raw.maximum && numbers.contains(raw.minimum)
            && numbers.contains(raw.maximum) && numbers.contains(raw.step)
    }

    func value(of raw: Int64) -> CameraControlValue {
        switch unit {
        case .word: .word(meanings[raw] ?? "\(raw)")
        default: .number(number(of: raw))
        }
    }

    /// Returns the driver's value; `nil` for a value that is not allowed. If `clamps`, a number out
    /// of range becomes the nearest in it.
    func raw(of value: CameraControlValue, clamps: Bool) -> Int64? {
        switch (unit, value) {
        case (.word, .word(let word)): return words.first { $0.word == word }?.raw
        case (.word, .number), (_, .word): return nil
        case (_, .number(let number)):
            guard number.isFinite, let range else { return nil }
            guard clamps || range.contains(number) else { return nil }
            let wanted = min(max(number, range.lowerBound), range.upperBound)
            return candidates(near: wanted).min {
                abs(self.number(of: $0) - wanted) < abs(self.number(of: $1) - wanted)
            }
        }
    }

    /// The range of numbers; `nil` for words.
    var range: ClosedRange<Double>? {
        if case .word = unit { return nil }
        let ends =
            items.isEmpty
            ? [number(of: raw.minimum), number(of: raw.maximum)]
            : items.map { number(of: $0.index) }
        guard let least = ends.min(), let most = ends.max() else { return nil }
        return least...most
    }

    /// The step between numbers; `nil` for words and for unevenly spaced numbers.
    var step: Double? {
        if case .word = unit { return nil }
        if !items.isEmpty { return nil }
        let step = max(raw.step, 1)
        return number(of: raw.minimum &+ step) - number(of: raw.minimum)
    }

    var choices: [String]? {
        if case .word = unit { return words.map(\.word) }
        return nil
    }

    var allowed: String {
        if let choices { return choices.joined(separator: ", ") }
        guard let range else { return "nothing" }
        return "\(CameraControlValue.number(range.lowerBound)) to "
            + "\(CameraControlValue.number(range.upperBound))"
    }

    private func number(of value: Int64) -> Double {
        let shown = items.first { $0.index == value }?.value ?? value
        switch unit {
        case .word: return Double(value)
        case .factor(let factor): return Double(shown) * factor
        case .multiple: return Double(shown) / Double(raw.minimum)
        case .steps: return 1 + Double(shown - raw.minimum) / Double(max(raw.step, 1))
        case .share:
            guard raw.maximum > raw.minimum else { return 0 }
            return Double(value - raw.minimum) / Double(raw.maximum - raw.minimum)
        }
    }

    /// Returns the driver's values on both sides of `number`.
    private func candidates(near number: Double) -> [Int64] {
        if !items.isEmpty { return items.map(\.index) }
        let step = max(raw.step, 1)
        let exact: Double =
            switch unit {
            case .word: number
            case .factor(let factor): number / factor
            case .multiple: number * Double(raw.minimum)
            case .steps: (number - 1) * Double(step) + Double(raw.minimum)
            case .share: number * Double(raw.maximum - raw.minimum) + Double(raw.minimum)
            }
        let steps = Int64((exact - Double(raw.minimum)) / Double(step))
        return [steps, steps + 1].map { raw.minimum + $0 * step }
            .filter { (raw.minimum...raw.maximum).contains($0) }
    }
}
