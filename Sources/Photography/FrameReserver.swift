// SPDX-License-Identifier: GPL-3.0-or-later

package import Kiosk
internal import LinuxIO
internal import Logging
package import Media
package import Recording

/// Claims frames for presses and for ordered shots, with the board's rotation at their moments.
package struct FrameReserver: Sendable {
    private let output: PhotoOutput
    private let orientation: Orientation?
    private let log = Logger(label: "photo")

    /// The nanoseconds that a press may be late: later, the frame before it may be gone.
    private static let longestDelay: Int64 = 60_000_000

    package typealias Orientation = @Sendable () async -> Rotation

    /// - Parameter orientation: `nil` if the camera's mount alone determines the rotation.
    package init(_ output: PhotoOutput, orientation: Orientation?) {
        self.output = output
        self.orientation = orientation
    }

    /// Reserves the frame of an edge, in nanoseconds of `CLOCK_MONOTONIC`, whatever the press will
    /// do. Noise and a refused press drop the reservation, which gives the frame back. Any thread;
    /// never blocks.
    package func reserve(_ moment: Int64) -> FrameReservation {
        let delay = Clock.monotonic - moment
        if delay > Self.longestDelay {
            log.notice(
                "press noticed late", metadata: ["milliseconds": "\(delay / 1_000_000)"])
        }
        return FrameReservation(claimed(.frame(output.hold(moment)), moment))
    }

    /// Claims the frames of a shot. A photo takes its reserved frame; a burst or loop begins with
    /// it. If a light came on for the shot (`exposedAfter`), a reserved frame is too dark.
    package func claim(_ order: CaptureOrder, exposedAfter: Int64?) -> ClaimedShot {
        let reserved = exposedAfter == nil ? order.reservation?.claim as? ClaimedFrames : nil
        let (count, duration): (Int, Int64?)
        switch order.kind {
        case .photo:
            let frames =
                reserved
                ?? claimed(
                    .frame(output.hold(order.moment, exposedAfter: exposedAfter)), order.moment)
            return ClaimedShot(order, frames)
        case .burst(let photos): (count, duration) = (photos, nil)
        case .loop(let seconds): (count, duration) = (.max, Int64(seconds * 1e9))
        }
        let keepsRaw = duration == nil && order.photo.format == .raw
        var edge: FrameClaim?
        if case .frame(let frame)? = reserved?.claim { edge = frame }
        let burst = output.holdBurst(
            order.moment, count: count, duration: duration, exposedAfter: exposedAfter,
            keepsRaw: keepsRaw, from: edge)
        return ClaimedShot(order, claimed(.burst(burst), order.moment))
    }

    private func claimed(_ claim: ClaimedFrames.Claim, _ moment: Int64) -> ClaimedFrames {
        ClaimedFrames(claim, of: output, turning: turning(at: moment))
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
}

/// A claim on the frames of a shot, abandoned with the last reference to it.
package final class ClaimedFrames: Sendable {
    package enum Claim: Sendable {
        case frame(FrameClaim)
        case burst(BurstClaim)
    }
    package let claim: Claim
    private let output: PhotoOutput
    private let turning: Task<Rotation, Never>?

    init(_ claim: Claim, of output: PhotoOutput, turning: Task<Rotation, Never>?) {
        self.claim = claim
        self.output = output
        self.turning = turning
    }

    deinit { abandon() }

    /// The rotation of the pictures, in addition to the camera's mount rotation.
    package var rotation: Rotation { get async { await turning?.value ?? .none } }

    /// Gives up a frame that is not chosen yet, or ends a burst; a chosen frame goes back with the
    /// claim. Does nothing the second time.
    func abandon() {
        switch claim {
        case .frame(let frame): output.abandon(frame)
        case .burst(let burst): output.abandon(burst)
        }
    }
}

package struct ClaimedShot: Sendable {
    let id: ShotIdentifier
    let session: SessionNumber
    let photo: CapturePhotoSettings
    package let frames: ClaimedFrames

    fileprivate init(_ order: CaptureOrder, _ frames: ClaimedFrames) {
        (id, session, photo) = (order.shot, order.session, order.photo)
        self.frames = frames
    }

    var isBurst: Bool { if case .burst = frames.claim { true } else { false } }
}
