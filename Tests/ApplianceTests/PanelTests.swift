// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import CommandProtocol
import Controls
import GPIO
import Glibc
import Input
import LinuxIO
import Simulation
import Synchronization
import TestSupport
import Testing

@Suite("Virtual panel", .timeLimit(.minutes(1)))
struct PanelTests {
    @Test("a simulated board's buttons, lamps and flash are there; status tells which are lit")
    func panel() async throws {
        let folder = try TemporaryFolder()
        let appliance = try Appliance.simulated(
            in: folder,
            """
            button = [{ name = "shutter", line = "virtual:shutter" }]
            lamp = { ready = "virtual:ready", fault = "virtual:fault" }
            flash.line = "virtual:flash"
            """)
        try await appliance.start()
        try await appliance.wait { await $0.status().buttons.first?.state == "ready" }
        try await appliance.wait {
            await $0.status().lamps == [
                StatusReport.Lamp(name: "ready", on: true),
                StatusReport.Lamp(name: "fault", on: false),
                StatusReport.Lamp(name: "flash", on: false),
            ]
        }
        #expect(await appliance.status().problems.isEmpty)
        await appliance.stop()
        #expect(await appliance.status().lamps?.contains { $0.on } == false)
    }

    @Test("a lamp whose line somebody has at the start is missing until it is free")
    func taken() async throws {
        let folder = try TemporaryFolder()
        let appliance = try Appliance.simulated(
            in: folder, "lamp.ready = \"virtual:ready\"", hardware: TakenPanel(refusals: 2))
        let problem = await appliance.status().problems.first
        #expect(problem?.code == "lamp.missing")
        #expect(problem?.message.hasPrefix("lamp ready: ") == true)
        try await appliance.start()
        try await appliance.wait { await $0.status().lamps?.first?.on == true }
        #expect(await appliance.status().problems.isEmpty)
        await appliance.stop()
    }
}

/// A panel whose lamps' lines are somebody else's at first.
private final class TakenPanel: ControlHardware {
    private let panel = VirtualPanel()
    private let refusals: Mutex<Int>

    init(refusals: Int) { self.refusals = Mutex(refusals) }

    func openLine(
        chip: String, line: String, bias: LineBias, activeLow: Bool
    ) throws(SystemCallError) -> any ButtonSource {
        try panel.openLine(chip: chip, line: line, bias: bias, activeLow: activeLow)
    }

    func keyDevices() throws(SystemCallError) -> [InputDescription] { try panel.keyDevices() }

    func openKeys(path: String) throws(SystemCallError) -> any ButtonSource {
        try panel.openKeys(path: path)
    }

    func openOutput(
        chip: String, line: String, activeLow: Bool
    ) throws(SystemCallError) -> sending any LampOutput {
        let isTaken = refusals.withLock { refusals in
            refusals -= 1
            return refusals >= 0
        }
        if isTaken { throw SystemCallError(call: "ioctl", code: EBUSY, path: "\(chip):\(line)") }
        return try panel.openOutput(chip: chip, line: line, activeLow: activeLow)
    }
}
