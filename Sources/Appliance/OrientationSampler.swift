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
    /// Whether the camera looks at whoever looks at the board: it sees every turn the other way round.
    private let looksAtPerson: Bool
    private nonisolated let last = Mutex(Rotation.none)

    init(looksAtPerson: Bool) { self.looksAtPerson = looksAtPerson }

    /// How the board is turned now, clockwise as its camera sees the world; as it was when it was asked last, where the sensor takes too long.
    nonisolated func rotation() async -> Rotation {
        let answer = await firstAnswer(within: Self.patience) { answer in
            Task { answer(await sample()) }
        }
        return answer ?? last.withLock { $0 }
    }

    private func sample() -> Rotation {
        let turn = accelerometer.rotation() ?? .none
        let rotation = looksAtPerson ? turn.inverse : turn
        last.withLock { $0 = rotation }
        return rotation
    }
}
