// SPDX-License-Identifier: GPL-3.0-or-later

/// The log.
public struct LogSettings: Sendable, Equatable {
    /// The levels of swift-log.
    public enum Level: String, Sendable, CaseIterable {
        /// Every message.
        case trace
        /// Messages for developers.
        case debug
        /// Messages that a person would want to read in a year.
        case info
        /// An unusual event that is not an error.
        case notice
        /// An error that was handled.
        case warning
        case error
        /// A failure that stops the appliance from working.
        case critical
    }

    /// The lowest level that is written.
    public var level = Level.info

    /// The defaults.
    public init() {}
}

extension LogSettings: TableSettings {
    static let table = SettingsTable("log", "The log.")
    static let fields: [SettingsField<Self>] = [
        .key("level", \.level, .choice, "The lowest level of messages that are written.")
    ]
}
