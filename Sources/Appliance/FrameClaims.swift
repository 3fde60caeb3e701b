// SPDX-License-Identifier: GPL-3.0-or-later

package import Kiosk
internal import LinuxIO
internal import Logging
package import Media
package import Recording
internal import Synchronization

/// A claim on a frame, or on frames in a row, and how the board was turned at its moment.
package struct Held<Claim: Sendable>: Sendable {
    package let claim: Claim
    fileprivate let giveUp: @Sendable () -> Void
    fileprivate let turning: Task<Rotation, Never>?

    /// How the picture has to be turned, beside how the camera is mounted.
    package var rotation: Rotation { get async { await turning?.value ?? .none } }

    func abandon() { giveUp() }
}

package typealias HeldFrame = Held<FrameClaim>
package typealias HeldBurst = Held<BurstClaim>

/// Claims on frames, made on the button's thread at the first edge, before anybody has decided whether
/// the press takes a photo. What is not wanted is given up.
package final class FrameClaims: Sendable {
    /// A claim that nobody took in this time is given up.
    private let lifetime: Int64
    private let output: PhotoOutput
    private let orientation: Orientation?
    private let held = Mutex<[HeldFrame]>([])

    /// What is noticed later than this the photo may show: the frame before it need not be there any more.
    private static let longestDelay: Int64 = 60_000_000
    private let log = Logger(label: "photo")

    /// Answers how the board is turned now.
    package typealias Orientation = @Sendable () async -> Rotation

    /// - Parameters:
    ///   - orientation: `nil` where photos are turned as the camera is mounted, and no further.
    ///   - lifetime: nanoseconds; longer than it takes to know what a press was for.
    package init(_ output: PhotoOutput, orientation: Orientation?, lifetime: Int64) {
        self.output = output
        self.orientation = orientation
        self.lifetime = lifetime
    }

    /// Claims the frame of an edge, whatever it will be for.
    package func hold(_ moment: Int64) {
        let delay = Clock.monotonic - moment
        if delay > Self.longestDelay {
            log.notice(
                "press noticed late", metadata: ["milliseconds": "\(delay / 1_000_000)"])
        }
        let frame = frame(output.hold(moment))
        prune()
        held.withLock { $0.append(frame) }
    }

    private func frame(_ claim: FrameClaim) -> HeldFrame {
        HeldFrame(
            claim: claim, giveUp: { [output] in output.abandon(claim) },
            turning: turning(at: claim.moment))
    }

    private func turning(at moment: Int64) -> Task<Rotation, Never>? {
        orientation.map { orientation in
            Task {
                // After a countdown, the claim is made ahead of its moment.
                let wait = moment - Clock.monotonic
                if wait > 0 { try? await Task.sleep(for: .nanoseconds(wait), tolerance: .zero) }
                return await orientation()
            }
        }
    }

    /// Gives up what nobody has taken in time.
    func prune() {
        let limit = Clock.monotonic - lifetime
        abandon { $0.moment < limit }
    }

    /// The claim on this moment, made now if it was not before.
    ///
    /// - Parameter exposedAfter: since when a light is on for it, if one is.
    package func take(_ moment: Int64, exposedAfter: Int64?) -> HeldFrame {
        if let exposedAfter { return frame(output.hold(moment, exposedAfter: exposedAfter)) }
        let found = held.withLock { held -> HeldFrame? in
            // A chord's buttons may share one moment.
            defer { held.removeAll { $0.claim.moment == moment } }
            return held.first { $0.claim.moment == moment }
        }
        return found ?? frame(output.hold(moment))
    }

    /// The claim on what a shot is made of.
    ///
    /// - Parameter keepsRaw: whether what the sensor measured is wanted of a burst.
    package func take(
        _ kind: ShotKind, _ moment: Int64, exposedAfter: Int64?, keepsRaw: Bool = false
    ) -> Photographer.Order.Frames {
        switch kind {
        case .photo: .photo(take(moment, exposedAfter: exposedAfter))
        case .burst(let count):
            .burst(
                burst(
                    output.holdBurst(
                        moment, count: count, exposedAfter: exposedAfter, keepsRaw: keepsRaw,
                        from: edge(moment))))
        case .loop(let seconds):
            .burst(
                burst(
                    output.holdBurst(
                        moment, count: .max, duration: Int64(seconds * 1e9),
                        exposedAfter: exposedAfter, from: edge(moment))))
        }
    }

    /// What the edge claimed, if it was one.
    private func edge(_ moment: Int64) -> FrameClaim? {
        held.withLock { $0.first { $0.claim.moment == moment }?.claim }
    }

    private func burst(_ burst: BurstClaim) -> HeldBurst {
        let moment = burst.moment
        drop(moment)
        return HeldBurst(
            claim: burst, giveUp: { [output] in output.abandon(burst) },
            turning: turning(at: moment))
    }

    func drop(_ moment: Int64) { abandon { $0.moment == moment } }

    private func abandon(_ isUnwanted: (FrameClaim) -> Bool) {
        let unwanted = held.withLock { held in
            defer { held.removeAll { isUnwanted($0.claim) } }
            return held.filter { isUnwanted($0.claim) }
        }
        for frame in unwanted { frame.abandon() }
    }
}
