// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import IIO
import TestSupport
import Testing

@Suite("Accelerometer")
struct AccelerometerTests {
    private let folder: TemporaryFolder
    private let sensor: Accelerometer

    init() throws {
        folder = try TemporaryFolder()
        sensor = Accelerometer(root: folder.path)
    }

    private func write(_ name: String, _ text: String, device: Int = 1) throws {
        try folder.write("\(text)\n".utf8, to: "sys/bus/iio/devices/iio:device\(device)/\(name)")
    }

    /// Sets the sensor's acceleration, in hundredths of standard gravity.
    private func feel(_ x: Int, _ y: Int, _ z: Int) throws {
        try write("in_accel_scale", "0.0980665")
        for (axis, value) in [("x", x), ("y", y), ("z", z)] {
            try write("in_accel_\(axis)_raw", "\(value)")
        }
    }

    @Test("a board without an accelerometer has no acceleration and no rotation")
    func missing() throws {
        #expect(sensor.acceleration() == nil && sensor.rotation() == nil)
        try write("in_temp_raw", "20", device: 0)
        try write("in_accel_x_raw", "20", device: 0)
        #expect(sensor.acceleration() == nil)
        try feel(0, 100, 0)
        #expect(sensor.rotation() == Rotation.none)
    }

    @Test(
        "the rotation follows the side of the board that is up",
        arguments: [
            (0, 100, Rotation.none), (-100, 0, .quarter), (0, -100, .half),
            (100, 0, .threeQuarters),
            (30, 95, .none), (-90, 40, .quarter), (-40, -90, .half), (90, -40, .threeQuarters),
        ])
    func turns(_ x: Int, _ y: Int, _ expected: Rotation) throws {
        try feel(x, y, 20)
        #expect(sensor.rotation() == expected)
    }

    @Test("a board near the diagonal or lying flat keeps its rotation")
    func hysteresis() throws {
        try feel(0, 3, 100)
        #expect(sensor.rotation() == nil)
        try feel(0, 100, 0)
        #expect(sensor.rotation() == Rotation.none)
        try feel(-75, 66, 0)
        #expect(sensor.rotation() == Rotation.none)
        try feel(-90, 40, 0)
        #expect(sensor.rotation() == .quarter)
        try feel(-66, 75, 0)
        #expect(sensor.rotation() == .quarter)
        try feel(0, 20, -98)
        #expect(sensor.rotation() == .quarter)
    }

    @Test("the acceleration uses the scale, the offset and the mount matrix")
    func units() throws {
        try feel(0, 0, 0)
        try write("in_accel_x_raw", "5")
        try write("in_accel_x_offset", "-1.5")
        try write("in_accel_x_scale", "2.0")
        try write("in_accel_y_raw", "10")
        #expect(sensor.acceleration() == .init(x: 7, y: 0.980665, z: 0))
        try write("in_mount_matrix", "0, -1, 0; 1, 0, 0; 0, 0, 1")
        #expect(sensor.acceleration() == .init(x: -0.980665, y: 7, z: 0))
        try write("in_mount_matrix", "nonsense")
        #expect(sensor.acceleration() == .init(x: 7, y: 0.980665, z: 0))
    }
}
