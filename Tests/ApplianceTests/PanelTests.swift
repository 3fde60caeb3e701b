// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import CommandProtocol
import Verbs
import Diagnostics
import Library
import Photography
import Settings
import Testing
import TestSupport

@Suite("Virtual panel", .timeLimit(.common))
struct PanelTests {
    @Test("a simulated board has its buttons, lamps and flash; status tells which are lit")
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

    @Test("a lamp whose line is in use at the start is missing until the line is free")
    func taken() async throws {
        let folder = try TemporaryFolder()
        let appliance = try Appliance.simulated(
            in: folder, "lamp.ready = \"virtual:ready\"", hardware: TestPanel(refusals: 2))
        let problem = await appliance.status().problems.first
        #expect(problem?.code == "lamp.missing")
        #expect(problem?.message.hasPrefix("lamp ready: ") == true)
        try await appliance.start()
        try await appliance.wait { await $0.status().lamps?.first?.on == true }
        #expect(await appliance.status().problems.isEmpty)
        await appliance.stop()
    }

    @Test("a photo without the appliance uses the flash, which goes off again")
    func flash() async throws {
        let folder = try TemporaryFolder()
        let panel = TestPanel()
        let photo = SinglePhoto(
            try simulatedSettings(in: folder, "flash = { line = \"virtual:flash\", lead_ms = 20 }"),
            version: "test", hardware: panel)
        var warnings: [String] = []
        let asset = try await photo.take { warnings.append($0) }
        #expect(asset.sequence == 1 && warnings.isEmpty)
        let states = panel.states
        #expect(states.first == true && states.last == false, "\(states)")
    }

    /// Returns whether a clip is being recorded that already has pictures.
    private static func records(_ appliance: Appliance) async -> Bool {
        let status = await appliance.status()
        return status.state == "recording" && status.recording?.seconds ?? 0 > 0
    }

    @Test("releasing a held button ends only the clip that it began", .ownThread)
    func holds() async throws {
        let folder = try TemporaryFolder()
        let panel = TestPanel()
        let appliance = try Appliance.simulated(
            in: folder,
            """
            camera = [{ preset = "640x480" }]
            button = [
                { name = "left", line = "virtual:left" },
                { name = "right", line = "virtual:right" },
                { name = "clip" }, { name = "back" },
            ]
            actions.left.hold = "record"
            actions.right.hold = "record"
            actions.clip.press = "record"
            actions.back.press = "cancel"
            gesture.long_press_ms = 200
            recording.preset = "ultrafast"
            """, hardware: panel)
        try await appliance.start()
        try await appliance.wait { await $0.workingParts().isGood }
        try await appliance.wait { await $0.status().buttons.allSatisfy { $0.state == "ready" } }
        panel.set("left", isPressed: true)
        try await appliance.wait { await Self.records($0) }
        // The button's clip ends before the button is released, and another button begins one.
        let control = try ControlClient(paths: [folder.path(of: "control.sock")])
        _ = try control.request(
            "press", ["name": .string("clip"), "wait": .bool(true)], as: PressAnswer.self)
        panel.set("right", isPressed: true)
        try await appliance.wait { await Self.records($0) }
        panel.set("left", isPressed: false)
        try await appliance.wait { await $0.status().buttons.first?.state == "ready" }
        // Gestures are handled in order: once this one is done, so is the end of the hold.
        _ = try control.request("press", ["name": .string("back")], as: PressAnswer.self)
        #expect(await appliance.status().state == "recording")
        panel.set("right", isPressed: false)
        try await appliance.wait { await $0.status().library.videos == 2 }
        #expect(await appliance.status().state == "live")
        await appliance.stop()
    }
}
