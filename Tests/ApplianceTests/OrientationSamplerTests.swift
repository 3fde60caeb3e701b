// SPDX-License-Identifier: GPL-3.0-or-later

import Devices
import Foundation
import Media
import IIO
import Testing
import TestSupport

@Suite("OrientationSampler", .timeLimit(.common))
struct OrientationSamplerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let device = "sys/bus/iio/devices/iio:device0"

    /// Sets the board's acceleration along these axes.
    private func feel(x: Int, y: Int) throws {
        for (axis, value) in [("x", x), ("y", y), ("z", 0)] {
            try folder.write("\(value)\n".utf8, to: "\(device)/in_accel_\(axis)_raw")
        }
    }

    @Test(
        "a sensor that cannot be read leaves the rotation unchanged",
        arguments: [(false, Rotation.quarter), (true, .threeQuarters)])
    func unreadable(looksAtPerson: Bool, expected: Rotation) async throws {
        let sampler = OrientationSampler(
            looksAtPerson: { looksAtPerson }, accelerometer: Accelerometer(root: folder.path),
            patience: .seconds(3600))
        #expect(await sampler.rotation() == Rotation.none)
        try feel(x: -100, y: 0)
        #expect(await sampler.rotation() == expected)
        try FileManager.default.removeItem(atPath: folder.path(of: "\(device)/in_accel_x_raw"))
        for _ in 0..<2 { #expect(await sampler.rotation() == expected) }
        try feel(x: 0, y: 100)
        #expect(await sampler.rotation() == Rotation.none)
    }
}
