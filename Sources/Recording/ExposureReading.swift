// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// The exposure time of a frame, which the camera's thread reads from the driver.
final class ExposureReading: Sendable {
    private enum State {
        case open([CheckedContinuation<Int64?, Never>])
        /// Nanoseconds; `nil` if the driver does not tell.
        case settled(Int64?)
    }
    private let state = Mutex(State.open([]))

    init() {}

    init(_ exposure: Int64?) { state.withLock { $0 = .settled(exposure) } }

    /// Settles the reading; later values are ignored. Any thread.
    func settle(_ exposure: Int64?) {
        let waiters = state.withLock { state -> [CheckedContinuation<Int64?, Never>] in
            guard case .open(let waiters) = state else { return [] }
            state = .settled(exposure)
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: exposure) }
    }

    /// Nanoseconds; `nil` if the driver does not tell. Waits until the reading is settled.
    var value: Int64? {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Int64?? in
                    switch state {
                    case .settled(let exposure): return .some(exposure)
                    case .open(let waiters):
                        state = .open(waiters + [continuation])
                        return nil
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}
