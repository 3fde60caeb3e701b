// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Media
import TestSupport
import Testing

/// Compares random operations with Python's exact fractions.
@Suite("MediaTime against exact fractions")
struct MediaTimePropertyTests {
    /// Reads a file of `operation operands … value timescale isRounded`, and prints those that are
    /// wrong. `inf` stands for a result that does not fit.
    private static let oracle = """
        import sys
        from fractions import Fraction
        from math import ceil, floor, gcd, lcm
        MOST = 2 ** 31 - 1
        def rounded(x, method):
            down = floor(x)
            if x == down: return down
            away = down if x < 0 else down + 1
            zero = down + 1 if x < 0 else down
            if method == "towardZero": return zero
            if method == "awayFromZero": return away
            if method == "towardPositiveInfinity": return down + 1
            if method == "towardNegativeInfinity": return down
            return away if abs(x - zero) >= Fraction(1, 2) else zero
        def fits(x): return -2 ** 63 <= x < 2 ** 63
        def settled(x, finest, method="halfAwayFromZero"):
            scale = min(finest, MOST) if finest <= MOST else MOST
            while scale > 0:
                value = rounded(x * scale, method)
                if fits(value): return value, scale, int(Fraction(value, scale) != x)
                scale //= 2
            return "inf"
        count = 0
        for line in open(sys.argv[1]):
            words = line.split()
            op, words = words[0], words[1:]
            n = {"add": 4, "sub": 4, "order": 4, "convert": 4, "times": 3, "ratio": 4, "double": 3,
                 "seconds": 2, "map": 8}[op]
            given, result = words[:n], words[n:]
            def time(i): return Fraction(int(given[i]), int(given[i + 1]))
            if op in ("add", "sub"):
                x = time(0) + time(2) if op == "add" else time(0) - time(2)
                want = settled(x, lcm(int(given[1]), int(given[3])))
            elif op == "order":
                want = ((time(0) > time(2)) - (time(0) < time(2)),)
            elif op == "convert":
                scale = int(given[2])
                value = rounded(time(0) * scale, given[3])
                want = (value, scale, int(Fraction(value, scale) != time(0))) if fits(value) else "inf"
            elif op == "times":
                want = settled(time(0) * int(given[2]), int(given[1]))
            elif op == "ratio":
                x = time(0) * Fraction(int(given[2]), int(given[3]))
                want = settled(x, lcm(x.denominator, int(given[1])))
            elif op == "double":
                want = settled(time(0) * Fraction(float.fromhex(given[2])), int(given[1]))
            elif op == "seconds":
                want = settled(Fraction(float.fromhex(given[0])), int(given[1]))
            else:
                x = time(0) * time(4) / time(2)
                first = settled(x, x.denominator)
                if first == "inf": want = first
                else:
                    want = settled(Fraction(first[0], first[1]) + time(6), lcm(first[1], int(given[7])))
                    want = want if want == "inf" else (want[0], want[1], want[2] | first[2])
            count += 1
            have = " ".join(result)
            want = want if want == "inf" else " ".join(map(str, want))
            if have != want: print(line.strip(), "wanted", want)
        print("checked", count)
        """

    private static func word(_ time: MediaTime) -> String {
        guard time.isNumeric else { return "inf" }
        let isRounded = time.flags.contains(.hasBeenRounded)
        return "\(time.value) \(time.timescale) \(isRounded ? 1 : 0)"
    }

    /// Returns a value of any size: small ones are as likely as large ones.
    private static func value(_ generator: inout Seeded) -> Int64 {
        Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<63, using: &generator)
    }

    private static func scale(_ generator: inout Seeded) -> Int32 {
        let usual: [Int32] = [1, 25, 30, 600, 1000, 30_000, 44_100, 48_000, 90_000, .max]
        return Bool.random(using: &generator)
            ? usual.randomElement(using: &generator) ?? 1
            : max(
                1,
                Int32.random(in: 1 ... .max, using: &generator)
                    >> Int32.random(in: 0..<30, using: &generator))
    }

    private static func hexadecimal(_ number: Double) -> String {
        let magnitude = number.magnitude
        let significand = String(magnitude.significandBitPattern, radix: 16)
        let digits = String(repeating: "0", count: 13 - significand.count) + significand
        return
            "\(number < 0 ? "-" : "")0x\(magnitude.isNormal ? 1 : 0).\(digits)p\(magnitude.isNormal ? magnitude.exponent : -1022)"
    }

    private func check(_ lines: [String]) throws -> Program.Outcome {
        let folder = try TemporaryFolder()
        try folder.write(lines.joined(separator: "\n").utf8, to: "lines")
        return try Program.run("python3", ["-c", Self.oracle, folder.path(of: "lines")])
    }

    @Test("sums, products, conversions and maps are those of exact fractions")
    func operations() throws {
        var generator = Seeded(41)
        var lines: [String] = []
        for _ in 0..<4000 {
            let (a, b) = (
                MediaTime(value: Self.value(&generator), timescale: Self.scale(&generator)),
                MediaTime(value: Self.value(&generator), timescale: Self.scale(&generator))
            )
            let pair = "\(a.value) \(a.timescale) \(b.value) \(b.timescale)"
            lines.append("add \(pair) \(Self.word(a + b))")
            lines.append("sub \(pair) \(Self.word(a - b))")
            lines.append("order \(pair) \(a < b ? -1 : a == b ? 0 : 1)")
            let newScale = Self.scale(&generator)
            for method in MediaTime.RoundingMethod.allCases {
                lines.append(
                    "convert \(a.value) \(a.timescale) \(newScale) \(method) "
                        + Self.word(a.converted(toTimescale: newScale, method)))
            }
            let factor = Int32(truncatingIfNeeded: Self.value(&generator))
            lines.append("times \(a.value) \(a.timescale) \(factor) \(Self.word(a * factor))")
            let divisor = Bool.random(using: &generator) ? newScale : -newScale
            lines.append(
                "ratio \(a.value) \(a.timescale) \(factor) \(divisor) "
                    + Self.word(a.multiplied(byRatio: factor, divisor)))
            let number =
                Double(Self.value(&generator))
                * Double(
                    sign: .plus, exponent: Int.random(in: -140...20, using: &generator),
                    significand: 1)
            lines.append(
                "double \(a.value) \(a.timescale) \(Self.hexadecimal(number)) "
                    + Self.word(a.multiplied(by: number)))
            lines.append(
                "seconds \(Self.hexadecimal(number)) \(newScale) "
                    + Self.word(MediaTime(seconds: number, preferredTimescale: newScale)))
            let (source, target) = (
                MediaTime(value: max(1, abs(b.value >> 1)), timescale: b.timescale),
                MediaTime(
                    value: Self.value(&generator) & .max, timescale: Self.scale(&generator))
            )
            let start = MediaTime(value: Self.value(&generator) >> 2, timescale: 600)
            let mapping = MediaTimeMapping(
                source: MediaTimeRange(start: .zero, duration: source),
                target: MediaTimeRange(start: start, duration: target))
            guard a.value != 0 else { continue }
            lines.append(
                "map \(a.value) \(a.timescale) \(source.value) \(source.timescale) "
                    + "\(target.value) \(target.timescale) \(start.value) \(start.timescale) "
                    + Self.word(mapping.map(a)))
        }
        let outcome = try check(lines)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let found = outcome.output.split(separator: "\n")
        #expect(
            found.last == "checked \(lines.count)", "\(found.prefix(5).joined(separator: "\n"))")
        #expect(found.count == 1, "\(found.prefix(5).joined(separator: "\n"))")
        // The oracle notices a result that is off by one unit.
        let wrong = try check(["add 1 2 1 3 6 6 0"])
        #expect(wrong.output.contains("wanted 5 6 0"))
    }

    @Test("ranges unite, intersect and contain as sets of instants do")
    func ranges() {
        var generator = Seeded(42)
        func range() -> MediaTimeRange {
            MediaTimeRange(
                start: MediaTime(value: .random(in: -6...6, using: &generator), timescale: 2),
                duration: MediaTime(value: .random(in: 0...9, using: &generator), timescale: 3))
        }
        let instants = (-60...60).map { MediaTime(value: $0, timescale: 12) }
        for _ in 0..<500 {
            let (a, b) = (range(), range())
            let (shared, whole) = (a.intersection(b), a.union(b))
            for time in instants {
                let isShared = a.contains(time) && b.contains(time)
                #expect(shared.contains(time) == isShared)
                if a.contains(time) || b.contains(time) { #expect(whole.contains(time)) }
            }
            #expect(whole.start == min(a.start, b.start) && whole.end == max(a.end, b.end))
            #expect(whole.contains(a) || a.isEmpty)
            if !b.isEmpty { #expect(a.contains(b) == (shared == b)) }
            #expect(a.isEmpty || a.clamped(whole.start) == a.start)
        }
    }

    @Test("what is no number stays none, and no time before an end makes a range")
    func special() {
        let one = MediaTime(value: 1, timescale: 1)
        let (plus, minus) = (MediaTime.positiveInfinity, MediaTime.negativeInfinity)
        #expect(plus * 2 == plus && plus * -2 == minus && minus.multiplied(by: -0.5) == plus)
        #expect(
            !(plus * 0).isValid && !one.multiplied(by: .nan).isValid
                && !(MediaTime.invalid * 2).isValid)
        #expect(one.multiplied(by: .infinity) == plus && MediaTime.indefinite * 3 == .indefinite)
        #expect(!one.multiplied(byRatio: 1, 0).isValid)
        #expect(!MediaTime(seconds: 1, preferredTimescale: 0).isValid)
        #expect(MediaTime(seconds: -.infinity, preferredTimescale: 600) == minus)
        #expect(!MediaTimeRange(start: one, end: .zero).isValid)
        #expect(MediaTimeRange(start: one, end: .zero) == .invalid)
        let live = MediaTimeRange(start: .zero, duration: .indefinite)
        #expect(live.isValid && live.isIndefinite && live.end == .indefinite)
        #expect(!live.contains(one))
        let empty = MediaTimeMapping(
            source: MediaTimeRange(start: one, duration: .zero),
            target: MediaTimeRange(start: .zero, duration: one))
        #expect(empty.map(one) == .zero && !empty.map(.zero).isValid)
    }
}
