// SPDX-License-Identifier: GPL-3.0-or-later

/// The log.
public struct LogSettings: Sendable, Equatable {
    /// swift-log's levels.
    public enum Level: String, Sendable, CaseIterable {
        /// Everything.
        case trace
        /// For developers.
        case debug
        /// What a person would want in a year.
        case info
        /// Unusual, not wrong.
        case notice
        /// Wrong, and handled.
        case warning
        /// Wrong.
        case error
        /// The appliance cannot do its work.
        case critical
    }

    /// The least important messages that are written.
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
