// SPDX-License-Identifier: GPL-3.0-or-later

internal import Recording
internal import Synchronization

/// The stills that wait for the library: of a slow card there would be more and more, and a DNG has many megabytes.
package final class StillBacklog: Sendable {
    private struct State {
        var bytes = 0
        var encoder: CheckedContinuation<Void, Never>?
    }
    private let state = Mutex(State())
    private let most: Int

    /// - Parameter most: bytes.
    package init(most: Int = 64 << 20) { self.most = most }

    /// Counts one more of so many bytes, and returns when there is room for the next. For one caller.
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

    /// It has been saved, or will not be.
    package func remove(_ bytes: Int) {
        let encoder = state.withLock { state in
            state.bytes -= bytes
            return state.bytes <= most ? state.encoder.take() : nil
        }
        encoder?.resume()
    }
}

extension FinishedStill {
    /// Of its files.
    var bytes: Int { chunks.reduce(raw?.count ?? 0) { $0 + $1.count } }
}
