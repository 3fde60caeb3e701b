// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
package import Media
package import IIO
internal import Synchronization

/// Reads the accelerometer on a thread of its own, so a sensor that hangs delays no photo for long.
package actor OrientationSampler {
    private static let executor = ThreadExecutor("accelerometer")
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    private let accelerometer: Accelerometer
    private let patience: Duration
    /// Whether the camera faces the person before the board, and sees every turn reversed.
    private let looksAtPerson: @Sendable () -> Bool
    private nonisolated let last = Mutex(Rotation.none)

    /// ``rotation()`` waits for the sensor as long as `patience`.
    package init(
        looksAtPerson: @escaping @Sendable () -> Bool,
        accelerometer: Accelerometer = Accelerometer(), patience: Duration = .milliseconds(300)
    ) {
        self.looksAtPerson = looksAtPerson
        self.accelerometer = accelerometer
        self.patience = patience
    }

    /// Returns how the board is turned now, clockwise as its camera sees the world. If the sensor
    /// takes too long or cannot be read, returns the last known rotation.
    package nonisolated func rotation() async -> Rotation {
        let answer = await firstAnswer(within: patience) { await self.sample() }
        return answer ?? last.withLock { $0 }
    }

    private func sample() -> Rotation {
        if let turn = accelerometer.rotation() {
            last.withLock { $0 = looksAtPerson() ? turn.inverse : turn }
        }
        return last.withLock(\.self)
    }
}
