// SPDX-License-Identifier: GPL-3.0-or-later

/// A person's action on a control.
public struct ControlEvent: Sendable, Equatable {
    /// The stage of a press.
    public enum Phase: String, Sendable {
        /// An edge that may become a press. A ``press`` or ``noise`` of the same time follows soon.
        case edge
        /// The edge is a press.
        case press
        /// The edge is no press, or a reported press does not count: its button was muted or lost.
        case noise
        /// The press has ended.
        case release
    }
    /// The configured name of the button or chord.
    public var name: String
    /// The stage that the press reached at `timestamp`.
    public var phase: Phase
    /// Nanoseconds of `CLOCK_MONOTONIC` at the first raw edge of the press or release, or at the
    /// report if there is no edge.
    public var timestamp: Int64
    /// For a press: the frame that was reserved at its edge, if there is one.
    public var reservation: FrameReservation?

    /// Creates an event; nothing is checked.
    public init(
        name: String, phase: Phase, timestamp: Int64, reservation: FrameReservation? = nil
    ) {
        self.name = name
        self.phase = phase
        self.timestamp = timestamp
        self.reservation = reservation
    }
}
