// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media
internal import Motion
internal import Synchronization

/// Asks the accelerometer on a thread of its own: one that does not answer keeps no photo waiting.
actor OrientationSampler {
    private static let executor = ThreadExecutor("accelerometer")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }
    private static let patience = Duration.milliseconds(300)

    private let accelerometer = Accelerometer()
    private nonisolated let last = Mutex(Rotation.none)

    /// How the board is turned now; as it was when it was asked last, where the sensor takes too long.
    nonisolated func rotation() async -> Rotation {
        let answer = await firstAnswer(within: Self.patience) { answer in
            Task { answer(await sample()) }
        }
        return answer ?? last.withLock { $0 }
    }

    private func sample() -> Rotation {
        let rotation = accelerometer.rotation() ?? .none
        last.withLock { $0 = rotation }
        return rotation
    }
}
