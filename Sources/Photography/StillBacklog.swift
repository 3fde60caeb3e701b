// SPDX-License-Identifier: GPL-3.0-or-later

internal import Recording
internal import Synchronization

/// Limits the bytes of stills that wait for the library, because a DNG is large and a card slow.
package final class StillBacklog: Sendable {
    private struct State {
        var bytes = 0
        var encoder: CheckedContinuation<Void, Never>?
    }
    private let state = Mutex(State())
    private let most: Int

    /// - Parameter most: the limit in bytes.
    package init(most: Int = 64 << 20) { self.most = most }

    /// Counts another still, and returns once there is room for the next. For one caller.
    package func add(_ bytes: Int) async {
        await withCheckedContinuation { encoder in
            let hasRoom = state.withLock { state in
                state.bytes += bytes
                if state.bytes > most { state.encoder = encoder }
                return state.bytes <= most
            }
            if hasRoom { encoder.resume() }
        }
    }

    /// A still was saved, or never will be.
    package func remove(_ bytes: Int) {
        let encoder = state.withLock { state in
            state.bytes -= bytes
            return state.bytes <= most ? state.encoder.take() : nil
        }
        encoder?.resume()
    }
}

extension FinishedStill {
    var bytes: Int { chunks.reduce(raw?.count ?? 0) { $0 + $1.count } }
}
