// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Recording
internal import Synchronization

/// Claims on frames, made on the button's thread at the first edge, before anybody has decided whether
/// the press takes a photo. What is not wanted is given up.
final class FrameClaims: Sendable {
    /// A claim that nobody took in this time is given up.
    private static let lifetime: Int64 = 1_000_000_000
    private let output: PhotoOutput
    private let claims = Mutex<[FrameClaim]>([])

    init(_ output: PhotoOutput) { self.output = output }

    func hold(_ moment: Int64) {
        let claim = output.hold(moment)
        let limit = Clock.monotonic - Self.lifetime
        claims.withLock { claims in
            claims.removeAll { $0.moment < limit }
            claims.append(claim)
        }
    }

    /// The claim on this moment, made now if it was not before.
    func take(_ moment: Int64) -> FrameClaim {
        let held = claims.withLock { claims -> FrameClaim? in
            guard let index = claims.firstIndex(where: { $0.moment == moment }) else { return nil }
            return claims.remove(at: index)
        }
        return held ?? output.hold(moment)
    }

    func drop(_ moment: Int64) { claims.withLock { $0.removeAll { $0.moment == moment } } }
}
