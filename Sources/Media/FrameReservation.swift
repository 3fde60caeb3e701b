// SPDX-License-Identifier: GPL-3.0-or-later

/// A frame claimed for a press before it is known whether the press takes a photo. The reservation
/// travels with the press; its last copy releases the frame.
public struct FrameReservation: Sendable, Equatable {
    /// The claim, which releases its frame when its last reference ends. Its type is known to the
    /// code that makes reservations and takes photos.
    public let claim: any AnyObject & Sendable

    /// Wraps a claim.
    public init(_ claim: any AnyObject & Sendable) { self.claim = claim }

    /// Whether both hold the same claim.
    public static func == (left: FrameReservation, right: FrameReservation) -> Bool {
        left.claim === right.claim
    }
}
