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
        /// An error.
        case error
        /// A failure that stops the appliance from working.
        case critical
    }

    /// The lowest level that is written.
    public var level: Level

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, LogKeys.table)
        level = decoder.value(LogKeys.level, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(LogKeys.table)
        writer.write(LogKeys.level, level)
    }
}
