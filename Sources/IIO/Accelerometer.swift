// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
public import Media
internal import Synchronization

/// The board's accelerometer, from which its rotation follows. Each call looks for the sensor
/// again, because it may come and go. Any thread. A call takes some milliseconds, or seconds if the
/// sensor does not answer.
///
/// Source: the kernel's IIO interface in sysfs (ABI/testing/sysfs-bus-iio). The first device with
/// three axes is used: x to the right, y up, z towards a person in front of the board. At rest the
/// sensor measures 9.81 m/s² upwards.
public final class Accelerometer: Sendable {
    /// An acceleration along x, y and z, in m/s².
    public struct Acceleration: Sendable, Equatable {
        public var x, y, z: Double

        /// Creates an acceleration in the board's axes.
        public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
    }

    /// Degrees beyond the diagonal at which the rotation changes.
    private static let hysteresis = 10.0
    /// The share of gravity along z above which the board lies flat and its rotation is unknown.
    private static let lying = 0.9

    private let folder: String
    private let last = Mutex<Rotation?>(nil)

    /// - Parameter root: the folder that contains `sys`; empty except in tests.
    public init(root: String = "") { folder = "\(root)/sys/bus/iio/devices" }

    /// Returns the present acceleration; `nil` if no sensor is found or it does not answer.
    public func acceleration() -> Acceleration? {
        let names = (try? FileTree.names(in: folder)) ?? []
        for name in names.sorted() where name.hasPrefix("iio:device") {
            if let felt = acceleration(of: "\(folder)/\(name)") { return felt }
        }
        return nil
    }

    /// Returns the board's clockwise rotation, as seen by a person in front of it and by a camera
    /// that faces in that person's direction of view. A camera that faces the person needs the
    /// inverse. While the board lies flat, the last known rotation is returned; `nil` without a
    /// sensor, or if there is no known rotation yet.
    public func rotation() -> Rotation? {
        guard let felt = acceleration() else { return nil }
        return last.withLock { last in
            last = Self.rotation(felt, before: last)
            return last
        }
    }

    /// Returns the rotation that matches; keeps `before` unless another one clearly matches.
    static func rotation(_ felt: Acceleration, before: Rotation?) -> Rotation? {
        let all = (felt.x * felt.x + felt.y * felt.y + felt.z * felt.z).squareRoot()
        guard all > 0, abs(felt.z) <= lying * all else { return before }
        let angle = atan2(-felt.x, felt.y) * 180 / .pi
        if let before {
            let away = (angle - Double(before.rawValue)).remainder(dividingBy: 360)
            if abs(away) < 45 + hysteresis { return before }
        }
        let quarters = (Int((angle / 90).rounded()) + 4) % 4
        return Rotation(rawValue: quarters * 90)
    }

    private func acceleration(of device: String) -> Acceleration? {
        var values: [Double] = []
        for axis in ["x", "y", "z"] {
            guard let raw = number("\(device)/in_accel_\(axis)_raw") else { return nil }
            let scale =
                number("\(device)/in_accel_\(axis)_scale") ?? number("\(device)/in_accel_scale")
            let offset =
                number("\(device)/in_accel_\(axis)_offset") ?? number("\(device)/in_accel_offset")
            values.append((raw + (offset ?? 0)) * (scale ?? 1))
        }
        let turned = mounting(of: device).map { row in
            zip(row, values).reduce(0) { $0 + $1.0 * $1.1 }
        }
        return Acceleration(x: turned[0], y: turned[1], z: turned[2])
    }

    /// Returns the rows of the matrix that rotates the sensor's axes into the board's.
    private func mounting(of device: String) -> [[Double]] {
        let none: [[Double]] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        let names = ["in_accel_mount_matrix", "in_mount_matrix", "mount_matrix"]
        guard let text = names.lazy.compactMap({ try? readSmallFile("\(device)/\($0)") }).first
        else { return none }
        let rows = text.split(separator: ";").map { row in
            row.split { ", \n".contains($0) }.compactMap { Double($0) }
        }
        return rows.count == 3 && rows.allSatisfy { $0.count == 3 } ? rows : none
    }

    private func number(_ file: String) -> Double? {
        guard let text = try? readSmallFile(file) else { return nil }
        return Double(text.filter { !$0.isWhitespace })
    }
}
