// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import CommandProtocol
import Diagnostics
import Dispatch
import Library
import Testing
import TestSupport

/// A door that blocks `pass()` while it is closed.
private final class Door: Sendable {
    private let turnstile = DispatchSemaphore(value: 0)

    init() { turnstile.signal() }

    func close() { turnstile.wait() }
    func open() { turnstile.signal() }
    func pass() {
        turnstile.wait()
        turnstile.signal()
    }
}

@Suite("Timelapses and cameras", .ownThread, .timeLimit(.common))
struct TimelapseCameraTests {
    @Test("a timelapse without a picture continues with the camera that is chosen next")
    func withoutPicture() async throws {
        let folder = try TemporaryFolder()
        let door = Door()
        let appliance = try Appliance.simulated(
            in: folder,
            """
            camera = [{ id = "main", preset = "640x480" }, { id = "other", preset = "640x480" }]
            timelapse.interval_s = 0.5
            recording.preset = "ultrafast"
            """
        ) { _ in
            door.pass()
            return 1 << 40
        }
        try await appliance.start()
        try await appliance.wait { await $0.workingParts().isGood }
        let control = try ControlClient(paths: [folder.path(of: "control.sock")])
        do {
            // The timelapse is of the first camera, and waits for the library before its first
            // picture.
            door.close()
            defer { door.open() }
            let begun = try control.request("timelapse.start", as: StatusReport.Timelapse.self)
            #expect(begun.active && begun.pictures == 0)
            let camera = try control.request(
                "devices.use", ["camera": .string("other")], as: StatusReport.Camera.self)
            #expect(camera.id == "other")
            try await appliance.wait { await $0.status().camera.state == "running" }
            #expect(await appliance.status().timelapse?.pictures == 0)
        }
        try await appliance.wait { appliance in
            let timelapse = await appliance.status().timelapse
            return timelapse?.active != true || timelapse?.pictures ?? 0 > 0
        }
        try #require(await appliance.status().timelapse?.active == true)
        let asset = try control.request("timelapse.stop", as: Asset.self)
        #expect(asset.deviceName == "other" && asset.mediaSubtypes == .timelapse)
        await appliance.stop()
    }
}
