// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Recording
internal import Synchronization

/// Claims on frames, made on the button's thread at the first edge, before anybody has decided whether
/// the press takes a photo. What is not wanted is given up.
final class HeldShots: Sendable {
    /// A claim that nobody took in this time is given up.
    private static let lifetime: Int64 = 1_000_000_000
    private let output: PhotoOutput
    private let shots = Mutex<[Shot]>([])

    init(_ output: PhotoOutput) { self.output = output }

    func hold(_ moment: Int64) {
        let shot = output.hold(moment)
        let limit = Clock.monotonic - Self.lifetime
        shots.withLock { shots in
            shots.removeAll { $0.moment < limit }
            shots.append(shot)
        }
    }

    /// The claim on this moment, made now if it was not before.
    func take(_ moment: Int64) -> Shot {
        let held = shots.withLock { shots -> Shot? in
            guard let index = shots.firstIndex(where: { $0.moment == moment }) else { return nil }
            return shots.remove(at: index)
        }
        return held ?? output.hold(moment)
    }

    func drop(_ moment: Int64) { shots.withLock { $0.removeAll { $0.moment == moment } } }
}
