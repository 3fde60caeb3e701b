// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
package import Media
package import Motion
internal import Synchronization

/// Asks the accelerometer on a thread of its own: one that does not answer keeps no photo waiting.
package actor OrientationSampler {
    private static let executor = ThreadExecutor("accelerometer")
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    private let accelerometer: Accelerometer
    private let patience: Duration
    /// Whether the camera looks at whoever looks at the board: it sees every turn the other way round.
    private let looksAtPerson: @Sendable () -> Bool
    private nonisolated let last = Mutex(Rotation.none)

    /// - Parameter patience: How long ``rotation()`` waits for the sensor.
    package init(
        looksAtPerson: @escaping @Sendable () -> Bool,
        accelerometer: Accelerometer = Accelerometer(), patience: Duration = .milliseconds(300)
    ) {
        self.looksAtPerson = looksAtPerson
        self.accelerometer = accelerometer
        self.patience = patience
    }

    /// How the board is turned now, clockwise as its camera sees the world; as it was when that was known
    /// last, where the sensor takes too long or cannot be read.
    package nonisolated func rotation() async -> Rotation {
        let answer = await firstAnswer(within: patience) { answer in
            Task { answer(await sample()) }
        }
        return answer ?? last.withLock { $0 }
    }

    private func sample() -> Rotation {
        if let turn = accelerometer.rotation() {
            last.withLock { $0 = looksAtPerson() ? turn.inverse : turn }
        }
        return last.withLock(\.self)
    }
}
