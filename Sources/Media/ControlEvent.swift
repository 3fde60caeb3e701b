// SPDX-License-Identifier: GPL-3.0-or-later

/// Something a person did to a control.
public struct ControlEvent: Sendable, Equatable {
    /// What has happened.
    public enum Phase: String, Sendable {
        /// An edge that may become a press: soon follows ``press`` or ``noise`` with the same time.
        case edge
        /// A press.
        case press
        /// The edge was none.
        case noise
        /// The press has ended.
        case release
    }
    /// The button's name in the configuration.
    public var name: String
    /// What has happened to it.
    public var phase: Phase
    /// Nanoseconds of `CLOCK_MONOTONIC`: the first raw edge of the press or release.
    public var timestamp: Int64

    /// Of the given parts.
    public init(name: String, phase: Phase, timestamp: Int64) {
        self.name = name
        self.phase = phase
        self.timestamp = timestamp
    }
}
