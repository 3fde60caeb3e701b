// SPDX-License-Identifier: GPL-3.0-or-later

internal import Devices
package import Kiosk
internal import LinuxIO
internal import Logging
package import Media
package import Recording
internal import Synchronization

/// A claim on a frame or on consecutive frames, with the board's rotation at its moment.
package struct Held<Claim: Sendable>: Sendable {
    package let claim: Claim
    fileprivate let giveUp: @Sendable () -> Void
    fileprivate let turning: Task<Rotation, Never>?

    /// The rotation of the picture, in addition to the camera's mount rotation.
    package var rotation: Rotation { get async { await turning?.value ?? .none } }

    func abandon() { giveUp() }
}

package typealias HeldFrame = Held<FrameClaim>
package typealias HeldBurst = Held<BurstClaim>

/// Claims frames on the button's thread at the first edge, before it is known whether the press
/// takes a photo. Unneeded claims are released.
package final class FrameClaims: Sendable {
    /// Nanoseconds after which an unused claim is released.
    private let lifetime: Int64
    private let output: PhotoOutput
    private let orientation: Orientation?
    private let held = Mutex<[HeldFrame]>([])

    /// The longest harmless delay of a press in nanoseconds: after it, the frame before the press
    /// may be gone.
    private static let longestDelay: Int64 = 60_000_000
    private let log = Logger(label: "photo")

    /// Returns how the board is turned now.
    package typealias Orientation = @Sendable () async -> Rotation

    /// - Parameters:
    ///   - orientation: `nil` if the camera's mount alone determines the rotation.
    ///   - lifetime: nanoseconds, longer than it takes to recognise a gesture.
    package init(_ output: PhotoOutput, orientation: Orientation?, lifetime: Int64) {
        self.output = output
        self.orientation = orientation
        self.lifetime = lifetime
    }

    /// Claims the frame of an edge, whatever the press will do.
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
                // With a countdown, the claim is made before its moment.
                let wait = moment - Clock.monotonic
                if wait > 0 { try? await Task.sleep(for: .nanoseconds(wait), tolerance: .zero) }
                return await orientation()
            }
        }
    }

    /// Releases claims that nobody took in time.
    package func prune() {
        let limit = Clock.monotonic - lifetime
        abandon { $0.moment < limit }
    }

    /// Returns the claim on this moment, and makes it if there is none.
    ///
    /// - Parameter exposedAfter: when the light for the photo came on, if there is one.
    package func take(_ moment: Int64, exposedAfter: Int64?) -> HeldFrame {
        if let exposedAfter { return frame(output.hold(moment, exposedAfter: exposedAfter)) }
        let found = held.withLock { held -> HeldFrame? in
            // The buttons of a chord may share one moment.
            defer { held.removeAll { $0.claim.moment == moment } }
            return held.first { $0.claim.moment == moment }
        }
        return found ?? frame(output.hold(moment))
    }

    /// Claims the frames of a shot.
    ///
    /// - Parameter keepsRaw: whether the RAW data of a burst is needed.
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

    /// Returns the claim of an edge at this moment.
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

    /// Releases the claims on this moment.
    package func drop(_ moment: Int64) { abandon { $0.moment == moment } }

    private func abandon(_ isUnwanted: (FrameClaim) -> Bool) {
        let unwanted = held.withLock { held in
            defer { held.removeAll { isUnwanted($0.claim) } }
            return held.filter { isUnwanted($0.claim) }
        }
        for frame in unwanted { frame.abandon() }
    }
}
