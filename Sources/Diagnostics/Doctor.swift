// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Controls
internal import Devices
internal import DRM
internal import FoundationEssentials
internal import Glibc
internal import GPIO
internal import Health
internal import Input
internal import LinuxIO
public import Settings
internal import Simulation

/// Examines everything that a kiosk needs, and says what to do next. It changes nothing. A running
/// appliance reports on its own devices.
public struct Doctor {
    /// The result of one check. Its JSON form is a line of `vitrine doctor --json`.
    public struct Finding: Sendable, Codable, Equatable {
        /// The effect on photos.
        public enum State: String, Sendable, Codable {
            case ok
            /// Photos can be taken.
            case warning
            /// No photos can be taken.
            case failure
        }
        /// The examined part: appliance, configuration, camera, display, buttons, lamps, raw,
        /// recording, detection, library, permissions, devices, clock, board or remote.
        public var check: String
        /// The severity.
        public var state: State
        /// The result for a person, without the next step.
        public var message: String
        /// The next step; empty if there is none.
        public var next: String

        /// Creates a finding.
        public init(check: String, state: State, message: String, next: String) {
            self.check = check
            self.state = state
            self.message = message
            self.next = next
        }

        /// Creates a finding for a problem; its text names the next step, or `otherwise` does.
        public init(check: String, state: State, problem: String, otherwise: String = "") {
            let problem = Explanation(problem)
            self.init(
                check: check, state: state, message: problem.reason, next: problem.next ?? otherwise
            )
        }
    }

    let settings: Settings
    /// The facts, gathered once because that opens every device.
    private let facts: Facts

    /// Opens each device for a moment; none on a simulated board.
    public init(_ settings: Settings) { self.init(settings, Facts(of: settings.board.kind)) }

    package init(_ settings: Settings, _ facts: Facts) {
        self.settings = settings
        self.facts = facts
    }

    private var isSimulated: Bool { settings.board.kind == .simulated }

    /// Checks what a running appliance does not report: cameras other than the used one (`nil`: the
    /// first), encoders, decoders, codes, permissions, clock and board.
    public func surroundings(besides camera: String? = nil) -> [Finding] {
        otherCameras(than: camera) + recording() + [playback()] + detection() + permissions()
            + [clock()] + board()
    }

    /// Checks the devices and the library, if no appliance has them.
    public func devices() -> [Finding] {
        [camera()] + displays() + [buttons()] + lamps() + raw() + [library()]
    }

    private func displays() -> [Finding] {
        let (first, second) = (settings.display, settings.secondDisplay)
        let found = [
            display("display", first.driver, first.connector, besides: second.connector)
        ]
        if second.connector == nil { return found }
        return found + [display("second display", second.driver, second.connector)]
    }

    private func display(
        _ check: String, _ driver: String?, _ connector: String?, besides other: String? = nil
    ) -> Finding {
        if isSimulated { return good(check, "simulated") }
        let displays = facts.attached.filter { $0.kind == "display" }
        let wanted = displays.filter { device in
            (driver.map { $0 == device.driver } ?? true)
                && (connector.map { $0 == device.name } ?? (device.name != other))
        }
        if let ready = wanted.first(where: {
            $0.details.first != "disconnected" && !$0.driver.isEmpty
        }) {
            return good(check, "\(ready.name) on \(ready.driver), \(ready.details.count) modes")
        }
        let there = displays.map { "\($0.name) \($0.details.first ?? "")" }.joined(separator: ", ")
        return Finding(
            check: check, state: .warning,
            message: "no display that fits; there is " + (there.isEmpty ? "none" : there),
            next: "Plug one in and switch it on; see driver and connector in the configuration.")
    }

    private func buttons() -> Finding {
        let wired = settings.buttons.filter { !$0.isVirtual }
        if wired.isEmpty {
            if isSimulated { return good("buttons", "simulated") }
            return Finding(
                check: "buttons", state: .warning, message: "no button is wired",
                next: "Give a [[button]] a line or a key; until then: vitrine press NAME")
        }
        return wiring(
            "buttons",
            wired.map { button in
                let reason =
                    button.line.flatMap { problem(of: $0) }
                    ?? button.key.flatMap { problem(of: $0, on: button.device) }
                return (button.name, reason)
            })
    }

    private func lamps() -> [Finding] {
        let lines = [
            ("ready lamp", settings.lamp.ready), ("recording lamp", settings.lamp.recording),
            ("fault lamp", settings.lamp.fault), ("flash", settings.flash.line),
        ]
        let wired = lines.compactMap { name, line in line.map { (name, problem(of: $0)) } }
        return wired.isEmpty ? [] : [wiring("lamps", wired)]
    }

    /// Judges lines and keys: names, each with the reason why it cannot be used.
    private func wiring(_ check: String, _ parts: [(String, String?)]) -> Finding {
        let problems = parts.compactMap { name, reason in reason.map { "\(name): \($0)" } }
        if problems.isEmpty { return good(check, "\(parts.count) wired") }
        return Finding(
            check: check, state: .warning, message: problems.joined(separator: "; "),
            next: "Connect it, or compare the configuration with: vitrine devices")
    }

    private func problem(of line: GPIOLineName) -> String? {
        if isSimulated && line.chip == VirtualPanel.chip { return nil }
        do throws(SystemCallError) {
            let found = try Chip.find(line.chip).line(line.line)
            let user = found.consumer.isEmpty ? "somebody" : "\"\(found.consumer)\""
            return found.isUsed ? "\(line) is used by \(user)" : nil
        } catch {
            return "\(error)"
        }
    }

    /// Returns why a key cannot be used; `nil` if it can. `wanted` is the device's name, serial,
    /// physical path or device file; `nil` for any.
    private func problem(of key: String, on wanted: String?) -> String? {
        do throws(SystemCallError) {
            let devices = try InputDescription.all()
            let isThere = devices.contains { device in
                let names = [device.name, device.serial, device.physicalPath, device.path]
                return device.keys.contains { $0 == KeyCode(name: key) }
                    && (wanted.map { names.contains($0) } ?? true)
            }
            if isThere { return nil }
            let what = wanted.map { "\(key) on \"\($0)\"" } ?? key
            let names = devices.map { "\"\($0.name)\"" }.joined(separator: ", ")
            return "no \(what), there " + (names.isEmpty ? "is no input device" : "are \(names)")
        } catch {
            return "\(error)"
        }
    }

    private func library() -> Finding {
        let path = settings.library.path
        if let place = FileTree.missingMount(for: path) {
            return Finding(
                check: "library", state: .failure,
                message: "\(path): its disk is not mounted at \(place)",
                next: "Plug it in, then: sudo mount \(place)")
        }
        // A library that does not exist yet will be made, so the folder above counts.
        var folder = path
        while unsafe access(folder, F_OK) != 0, folder.count > 1 {
            folder = URL(filePath: folder).deletingLastPathComponent().path
        }
        do {
            let free = try FileTree.freeBytes(at: folder)
            let reserve = Int64(settings.library.reserveMegabytes) << 20
            guard free > reserve else {
                return Finding(
                    check: "library", state: .failure,
                    message: "\(path): \(free >> 20) MB free, \(reserve >> 20) MB are kept free",
                    next: "Export and delete photos, or lower library.reserve_mb.")
            }
            if unsafe access(folder, W_OK) != 0 {
                return Finding(
                    check: "library", state: .failure,
                    message: "\(folder) may not be written by this user",
                    next: "Ask as the user that runs it: sudo -u vitrine vitrine doctor")
            }
            return good("library", "\(path): \((free - reserve) >> 20) MB for photos")
        } catch {
            return Finding(
                check: "library", state: .failure, message: "\(error)",
                next: "Check that the disk is there and mounted.")
        }
    }

    private func permissions() -> [Finding] {
        if isSimulated { return [] }
        let unopened = facts.attached.filter { $0.driver.isEmpty && !$0.details.isEmpty }
        let broken = unopened.filter { $0.isDenied != true }
        let refusals = unopened.filter { $0.isDenied == true }.flatMap(\.details)
        let denied = facts.user.map(closed) ?? refusals
        let user = facts.user.map { "user \($0.name)" } ?? "the user"
        var findings: [Finding] = []
        if denied.isEmpty {
            findings.append(good("permissions", "\(user) may open every device"))
        } else {
            findings.append(
                Finding(
                    check: "permissions", state: .warning,
                    message: denied.joined(separator: "; "),
                    next: "Add \(user) to groups video, render, input, gpio and audio"
                        + (facts.user == nil ? ", or use sudo." : ".")))
        }
        if !broken.isEmpty {
            findings.append(
                Finding(
                    check: "devices", state: .warning,
                    message: broken.flatMap(\.details).joined(separator: "; "),
                    next: "End what else uses it, or unplug it and plug it in again."))
        }
        return findings
    }

    /// Says which devices a user may not open.
    private func closed(to user: Account) -> [String] {
        Set(facts.attached.map(\.path)).sorted()
            // A device that is gone meanwhile is no problem.
            .filter { !((try? user.mayReadAndWrite($0)) ?? true) }
            .map { "user \(user.name) may not open \($0)" }
    }

    private func clock() -> Finding {
        if facts.clockIsSynchronized { return good("clock", "synchronized") }
        return Finding(
            check: "clock", state: .warning,
            message: facts.hasHardwareClock
                ? "not synchronized; a hardware clock keeps the time"
                : "not synchronized, and no hardware clock: photos are dated wrongly until it is",
            next: "Give it a network with NTP, or a clock with a battery.")
    }

    private func board() -> [Finding] {
        let wrong = facts.sensors.findings.map { finding in
            Finding(check: "board", state: .warning, problem: finding.message)
        }
        if !wrong.isEmpty { return wrong }
        let heat = facts.sensors.celsius.map { "\(Int($0)) °C" }
        let past = facts.sensors.history.map { "since the start: \($0)" }
        let text = [heat, past].compactMap(\.self).joined(separator: ", ")
        return [good("board", text.isEmpty ? "tells nothing of its condition" : text)]
    }

    func good(_ check: String, _ message: String) -> Finding {
        Finding(check: check, state: .ok, message: message, next: "")
    }
}
