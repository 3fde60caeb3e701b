// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import CommandProtocol
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
}
