// SPDX-License-Identifier: GPL-3.0-or-later

import TestSupport
import Testing

/// The virtual board's case kernel-tests finds this suite by its name.
@Suite(
    "Devices on V4L2", .ownThread, .enabled(if: isVirtualBoard), .timeLimit(.common))
struct DevicesKernelCameraTests {
    @Test("devices tells which way each camera looks, to programs and to people")
    func position() throws {
        let board = try RunningBoard()
        // One that cannot be opened says only why.
        let cameras = try board.json("devices").filter { device in
            device["kind"] as? String == "camera" && device["driver"] as? String != ""
        }
        try #require(!cameras.isEmpty)
        let shown = try board.run("devices").split(separator: "\n")
        for camera in cameras {
            // Neither vivid nor uvcvideo knows: then a camera stands apart.
            #expect(camera["position"] as? String == "external", "\(camera)")
            let path = try #require(camera["path"] as? String)
            let line = shown.first { $0.hasPrefix("camera   \(path)  ") }
            #expect(line?.hasSuffix(", external]") == true, "\(shown)")
        }
    }
}
