// SPDX-License-Identifier: GPL-3.0-or-later

import TestSupport
import Testing

/// The virtual board's case kernel-tests finds this suite by its name.
@Suite(
    "Devices on V4L2", .ownThread, .enabled(if: isVirtualBoard), .timeLimit(.common))
struct DevicesKernelCameraTests {
    @Test("`devices` shows the position of each camera to programs and to people")
    func position() throws {
        let board = try RunningBoard()
        // A camera that cannot be opened is listed only with the reason.
        let cameras = try board.json("devices").filter { device in
            device["kind"] as? String == "camera" && device["driver"] as? String != ""
        }
        try #require(!cameras.isEmpty)
        let shown = try board.run("devices").split(separator: "\n")
        for camera in cameras {
            // Neither vivid nor uvcvideo reports a position, so the camera counts as external.
            #expect(camera["position"] as? String == "external", "\(camera)")
            let path = try #require(camera["path"] as? String)
            let line = shown.first { $0.hasPrefix("camera   \(path)  ") }
            #expect(line?.hasSuffix(", external]") == true, "\(shown)")
        }
    }
}
