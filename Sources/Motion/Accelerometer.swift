// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
public import Media
internal import Synchronization

/// The board's accelerometer, and which way it says that the board is turned. Looked for at each question:
/// it may come later, or go. Any thread; a question takes as long as the sensor does: some milliseconds, or
/// seconds with one that does not answer.
///
/// Source: the kernel's IIO interface in sysfs (ABI/testing/sysfs-bus-iio), the first device that measures
/// acceleration along three axes: x to the right, y up, z towards whoever looks at the board. At rest it
/// feels the ground push, 9.81 m/s² upwards.
public final class Accelerometer: Sendable {
    /// Along x, y and z, in m/s².
    public struct Acceleration: Sendable, Equatable {
        public var x, y, z: Double

        /// In the board's axes, as above.
        public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
    }

    /// So far beyond the diagonal, in degrees, the board is turned further.
    private static let hysteresis = 10.0
    /// More than so much of the push along z, and the board lies: it may be turned any way.
    private static let lying = 0.9

    private let folder: String
    private let last = Mutex<Rotation?>(nil)

    /// - Parameter root: the folder above `sys`; a test has one of its own.
    public init(root: String = "") { folder = "\(root)/sys/bus/iio/devices" }

    /// What it feels now; `nil` where there is none, or it does not answer.
    public func acceleration() -> Acceleration? {
        let names = (try? FileTree.names(in: folder)) ?? []
        for name in names.sorted() where name.hasPrefix("iio:device") {
            if let felt = acceleration(of: "\(folder)/\(name)") { return felt }
        }
        return nil
    }

    /// How far the board is turned clockwise, for whoever looks at it, and for a camera that looks the same
    /// way; for one that looks at that person it is the inverse. While it lies, how far it was before. `nil`
    /// where there is no sensor, or it has lain ever since.
    public func rotation() -> Rotation? {
        guard let felt = acceleration() else { return nil }
        return last.withLock { last in
            last = Self.rotation(felt, before: last)
            return last
        }
    }

    /// The turn to which an acceleration belongs.
    ///
    /// - Parameter before: the turn until now, which stays until it clearly is another.
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

    /// The rows of the matrix that turns the sensor's axes into the board's.
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
