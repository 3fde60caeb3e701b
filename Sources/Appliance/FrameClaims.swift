// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Recording
internal import Synchronization

/// Claims on frames, made on the button's thread at the first edge, before anybody has decided whether
/// the press takes a photo. What is not wanted is given up.
final class FrameClaims: Sendable {
    /// A claim that nobody took in this time is given up.
    private let lifetime: Int64
    private let output: PhotoOutput
    private let claims = Mutex<[FrameClaim]>([])

    /// - Parameter lifetime: nanoseconds; longer than it takes to know what a press was for.
    init(_ output: PhotoOutput, lifetime: Int64) {
        self.output = output
        self.lifetime = lifetime
    }

    func hold(_ moment: Int64) {
        let claim = output.hold(moment)
        prune()
        claims.withLock { $0.append(claim) }
    }

    /// Gives up what nobody has taken in time.
    func prune() {
        let limit = Clock.monotonic - lifetime
        abandon { $0.moment < limit }
    }

    /// The claim on this moment, made now if it was not before.
    ///
    /// - Parameter exposedAfter: since when a light is on for it, if one is.
    func take(_ moment: Int64, exposedAfter: Int64?) -> FrameClaim {
        if let exposedAfter { return output.hold(moment, exposedAfter: exposedAfter) }
        let held = claims.withLock { claims -> FrameClaim? in
            // A chord's buttons may share one moment.
            defer { claims.removeAll { $0.moment == moment } }
            return claims.first { $0.moment == moment }
        }
        return held ?? output.hold(moment)
    }

    func drop(_ moment: Int64) { abandon { $0.moment == moment } }

    private func abandon(_ isUnwanted: (FrameClaim) -> Bool) {
        let unwanted = claims.withLock { claims in
            defer { claims.removeAll(where: isUnwanted) }
            return claims.filter(isUnwanted)
        }
        for claim in unwanted { output.abandon(claim) }
    }
}
