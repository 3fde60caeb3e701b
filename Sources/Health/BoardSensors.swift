// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// The sensors of a board, as far as it has them: temperature (thermal(5) zones of sysfs), supply
/// voltage (hwmon `rpi_volt`) and throttling (the Raspberry Pi's firmware, `get_throttled`).
public struct BoardSensors: Sendable {
    /// A problem that the sensors report.
    public struct Finding: Sendable, Equatable {
        /// The problem's code in `status`: board.hot, board.undervoltage or board.throttled.
        public let code: String
        /// The text for people, with the next step after `; next: `.
        public let message: String
    }

    /// The temperature from which a board slows down, or soon will.
    public static let hotCelsius = 80.0
    private let root: String

    /// Creates sensors that read the sysfs below `root`; tests use their own.
    public init(root: String = "") { self.root = root }

    /// The temperature of the hottest zone; `nil` if there is none.
    public var celsius: Double? {
        zones.compactMap { Double(text("\($0)/temp") ?? "").map { $0 / 1000 } }.max()
    }

    /// Whether the supply is too weak now; `nil` if nothing measures it.
    public var isUndervolted: Bool? {
        let folder = "\(root)/sys/class/hwmon"
        let names = (try? FileTree.names(in: folder)) ?? []
        let meter = names.sorted().first { text("\(folder)/\($0)/name") == "rpi_volt" }
        return meter.flatMap { text("\(folder)/\($0)/in0_lcrit_alarm") }.map { $0 == "1" }
    }

    /// The firmware's bits; `nil` if there are none.
    private var throttling: UInt32? {
        text("\(root)/sys/devices/platform/soc/soc:firmware/get_throttled")
            .flatMap { UInt32($0, radix: 16) }
    }

    /// The present problems.
    public var findings: [Finding] {
        var findings: [Finding] = []
        if let celsius, celsius >= Self.hotCelsius {
            findings.append(
                Finding(
                    code: "board.hot",
                    message: "the board has \(Int(celsius)) °C; next: give it air or a heat sink"))
        }
        // Bits 0 to 3: under-voltage, frequency capped, throttled, soft temperature limit.
        let bits = throttling ?? 0
        if isUndervolted ?? false || bits & 1 != 0 {
            findings.append(
                Finding(
                    code: "board.undervoltage",
                    message: "the supply is too weak; next: use the board's own power supply and a "
                        + "short, thick cable"))
        }
        if bits & 0b1110 != 0 {
            findings.append(
                Finding(
                    code: "board.throttled",
                    message: "the firmware has slowed the board down; next: check temperature and "
                        + "power supply"))
        }
        return findings
    }

    /// The problems since the board was started (bits 16 to 19); `nil` if there were none or the
    /// firmware does not report them.
    public var history: String? {
        guard let throttling else { return nil }
        let words = ["under-voltage", "capped frequency", "throttling", "temperature limit"]
        let seen = words.enumerated().filter { throttling & (1 << (16 + $0.offset)) != 0 }
        return seen.isEmpty ? nil : seen.map(\.element).joined(separator: ", ")
    }

    private var zones: [String] {
        let folder = "\(root)/sys/class/thermal"
        return ((try? FileTree.names(in: folder)) ?? []).filter { $0.hasPrefix("thermal_zone") }
            .map { "\(folder)/\($0)" }
    }

    private func text(_ path: String) -> String? {
        (try? readSmallFile(path)).map { $0.filter { !$0.isNewline } }
    }
}
