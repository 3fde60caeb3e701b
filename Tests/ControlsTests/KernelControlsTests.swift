// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import GPIO
import Glibc
import Input
import LinuxIO
import Media
import TestSupport
import Testing

/// Tests of the virtual board's real drivers. The labels and keys differ from those of the other
/// test targets, whose suites may run at the same time.
@Suite(
    "Controls on gpio-sim and uinput", .serialized, .enabled(if: isVirtualBoard),
    .timeLimit(.common))
struct KernelControlsTests {
    private static let label = "controls-gpio"

    private struct LineRig: ContactRig {
        let chip: GPIOSim
        let activeLow: Bool
        let contact = Contact.only
        init(activeLow: Bool) throws {
            chip = try GPIOSim(KernelControlsTests.label, names: ["SHUTTER"])
            self.activeLow = activeLow
            try chip.drive(0, high: activeLow)
        }
        func open() throws -> any ButtonSource {
            try LinuxControlHardware().openLine(
                chip: chip.label, line: "SHUTTER", bias: .asIs, activeLow: activeLow)
        }
        func move(_ isActive: Bool) throws { try chip.drive(0, high: isActive != activeLow) }
        func unplug() { chip.unplug() }
    }

    private final class KeyRig: ContactRig {
        var keyboard: VirtualKeyboard?
        let path: String
        let contact = Contact(number: KeyCode(name: "KEY_F23")?.number ?? 0)
        init() throws {
            let keyboard = try VirtualKeyboard("Rig", keys: ["KEY_F23"])
            path = keyboard.path
            self.keyboard = keyboard
        }
        func open() throws -> any ButtonSource { try LinuxControlHardware().openKeys(path: path) }
        func move(_ isActive: Bool) { keyboard?.set("KEY_F23", down: isActive) }
        func unplug() { keyboard = nil }
    }

    @Test("a line conforms", arguments: SourceConformance.allCases, [true, false])
    func lineConforms(rule: SourceConformance, activeLow: Bool) throws {
        try rule.check(LineRig(activeLow: activeLow))
    }

    @Test("a key conforms", arguments: SourceConformance.allCases)
    func keyConforms(rule: SourceConformance) throws {
        try rule.check(KeyRig())
    }

    @Test("20 edges 1 ms apart are one press with the time of the first edge")
    func bounce() async throws {
        // A stalled emulator may spread the edges over more than the debounce time; then try again.
        for _ in 0..<10 {
            if try await bounces() { return }
        }
        Issue.record("the emulator stalled each time")
    }

    /// Checks one press of 20 edges.
    ///
    /// - Returns: whether the edges came within the debounce time.
    private func bounces() async throws -> Bool {
        let chip = try GPIOSim(Self.label, names: ["SHUTTER"])
        let harness = try BoardHarness(
            [.line("shutter", "SHUTTER", chip: Self.label, debounce: 1000)], LinuxControlHardware())
        try await harness.reaches(.ready, "shutter")
        let before = Clock.monotonic
        try chip.drive(0, high: false)
        let after = Clock.monotonic
        for index in 1..<20 {
            usleep(1000)
            try chip.drive(0, high: index % 2 == 1)
        }
        let end = Clock.monotonic
        guard end - before < 1_000_000_000 else {
            await harness.board.stop()
            return false
        }
        let gesture = try await harness.gesture()
        #expect(gesture.release.timestamp > gesture.press.timestamp)
        await harness.board.stop()
        let statistics = try #require(harness.statistics("shutter"))
        #expect(statistics.presses == 1)
        #expect((1...18).contains(statistics.bounces))
        // A late interrupt thread merges edges, and the result has the time of the last.
        let limit = statistics.bounces == 18 ? after : end
        #expect((before...limit).contains(gesture.press.timestamp))
        return true
    }

    @Test("a flood that overruns the kernel's buffer leaves the button released and ready")
    func flood() async throws {
        // The edges are no flood if the machine stalls between them; then try again.
        for _ in 0..<10 where try await isJudgedFlood() { return }
        Issue.record("the machine stood still each time")
    }

    private func isJudgedFlood() async throws -> Bool {
        let chip = try GPIOSim(Self.label, names: ["SHUTTER"])
        let harness = try BoardHarness(
            [.line("shutter", "SHUTTER", chip: Self.label, debounce: 500)], LinuxControlHardware())
        try await harness.reaches(.ready, "shutter")
        // A stalled emulator merges unspaced edges into one interrupt; only the first is certain.
        try chip.drive(0, high: false)
        #expect(await harness.next()?.phase == .press)
        var (last, longest) = (Clock.monotonic, Int64(0))
        for index in 1..<500 {
            try chip.drive(0, high: index % 2 == 1)
            let now = Clock.monotonic
            (last, longest) = (now, max(longest, now - last))
        }
        guard longest < 250_000_000 else {
            await harness.board.stop()
            return false
        }
        #expect(await harness.next()?.phase == .release)
        try await harness.reaches(.ready, "shutter")
        try chip.drive(0, high: false)
        #expect(await harness.next()?.phase == .press)
        await harness.board.stop()
        #expect(harness.statistics("shutter")?.presses == 2)
        return true
    }

    @Test("150 presses at a hand's fastest are 150 presses, each with its own time")
    func many() async throws {
        let chip = try GPIOSim(Self.label, names: ["SHUTTER"])
        let harness = try BoardHarness(
            [.line("shutter", "SHUTTER", chip: Self.label, debounce: 5)], LinuxControlHardware())
        try await harness.reaches(.ready, "shutter")
        for _ in 0..<150 {
            let before = Clock.monotonic
            try chip.drive(0, high: false)
            let press = await harness.next()
            #expect(press?.phase == .press)
            #expect((before...Clock.monotonic).contains(press?.timestamp ?? 0))
            usleep(5000)
            try chip.drive(0, high: true)
            #expect(await harness.next()?.phase == .release)
            // More than 20 presses per second would be noise.
            usleep(50_000)
        }
        await harness.board.stop()
        // The bounces are not checked: if the emulator stalls, the level is corrected before its
        // edge arrives.
        #expect(harness.statistics("shutter")?.presses == 150)
    }

    @Test("a chip that goes away is missing with a reason, and ready again when it is back")
    func replugged() async throws {
        let chip = try GPIOSim(Self.label, names: ["SHUTTER", "CLIP"])
        let harness = try BoardHarness(
            [
                .line("lost", "NOWHERE", chip: Self.label),
                .line("shutter", "SHUTTER", chip: Self.label),
                .line("clip", "1", chip: Self.label),
                ButtonConfiguration(name: "panel", source: .virtual),
            ], LinuxControlHardware())
        try await harness.reaches(.ready, "clip")
        let problem = try #require(harness.statistics("lost")?.problem)
        #expect(problem.contains("NOWHERE, there are 0 to 1 and SHUTTER, CLIP: No such file"))
        try chip.drive(0, high: false)
        #expect(await harness.next()?.phase == .press)
        chip.unplug()
        #expect(await harness.next()?.phase == .release)
        try await harness.reaches(.missing, "shutter")
        try await harness.reaches(.missing, "clip")
        try harness.board.press(name: "panel")
        #expect(try await harness.gesture().press.name == "panel")
        try chip.plug()
        harness.board.rescan()
        try await harness.reaches(.ready, "shutter")
        try await harness.reaches(.ready, "clip")
        try chip.drive(1, high: false)
        #expect(await harness.next()?.name == "clip")
        await harness.board.stop()
        #expect(try openDescriptors(of: "/dev/\(chip.name)") == 0)
    }

    @Test("one keyboard serves two buttons, is grabbed, and may be replugged")
    func keys() async throws {
        var keyboard: VirtualKeyboard? = try VirtualKeyboard("Pad", keys: ["KEY_F21", "KEY_F22"])
        let harness = try BoardHarness(
            [.key("shutter", "KEY_F21", device: "Pad"), .key("clip", "KEY_F22")],
            LinuxControlHardware())
        try await harness.reaches(.ready, "clip")
        let path = try #require(keyboard?.path)
        #expect(throws: SystemCallError.self) { try KeyDevice(path: path) }
        for (key, name) in [("KEY_F21", "shutter"), ("KEY_F22", "clip")] {
            keyboard?.set(key, down: true)
            keyboard?.set(key, down: false)
            #expect(try await harness.gesture().press.name == name)
        }
        keyboard = nil
        try await harness.reaches(.missing, "shutter")
        try await harness.reaches(.missing, "clip")
        let again = try VirtualKeyboard("Pad", keys: ["KEY_F21", "KEY_F22"])
        harness.board.rescan()
        try await harness.reaches(.ready, "clip")
        again.set("KEY_F22", down: true)
        #expect(await harness.next()?.name == "clip")
        await harness.board.stop()
        _ = try KeyDevice(path: again.path)
    }

    @Test("a lamp has its voltage, is off at the end, and frees its line")
    func lamp() throws {
        let chip = try GPIOSim(Self.label, names: ["", "LAMP"])
        var lamp: OutputLine? = OutputLine(
            name: "ready lamp", chip: Self.label, line: "LAMP", activeLow: true)
        #expect(lamp?.state == .ready)
        #expect(try chip.isHigh(1))
        lamp?.set(true)
        #expect(try !chip.isHigh(1))
        let second = OutputLine(name: "second", chip: Self.label, line: "1")
        #expect(second.problem.contains("used by \"vitrine\": Device or resource busy; next: "))
        chip.unplug()
        lamp?.set(false)
        #expect(lamp?.state == .missing)
        try chip.plug()
        lamp?.set(true)
        lamp?.rescan()
        #expect(try !chip.isHigh(1))
        lamp = nil
        // The line may stay busy while another suite starts a program; see `whenFree`.
        try blockUntil {
            second.rescan()
            return second.state == .ready
        }
    }
}
