// SPDX-License-Identifier: GPL-3.0-or-later

/// Something a person did to a control.
public struct ControlEvent: Sendable, Equatable {
    /// How far a press has come, or that there was none.
    public enum Phase: String, Sendable {
        /// An edge that may become a press: soon follows ``press`` or ``noise`` with the same time.
        case edge
        /// A press.
        case press
        /// The edge was none, or the press that was told does not count: its button is muted or lost.
        case noise
        /// The press has ended.
        case release
    }
    /// The button's or the chord's name in the configuration.
    public var name: String
    /// What happened at `timestamp`; an ``Phase/edge`` leaves open whether it is a press.
    public var phase: Phase
    /// Nanoseconds of `CLOCK_MONOTONIC`: the first raw edge of the press or release; when there is no edge,
    /// the moment at which it was told.
    public var timestamp: Int64

    /// Of the given parts; nothing is checked.
    public init(name: String, phase: Phase, timestamp: Int64) {
        self.name = name
        self.phase = phase
        self.timestamp = timestamp
    }
}
