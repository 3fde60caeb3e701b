// SPDX-License-Identifier: GPL-3.0-or-later

/// Where photos are kept.
public struct LibrarySettings: Sendable, Equatable {
    /// The library's folder; absolute after `Settings.load(file:)`.
    public var path: String
    /// Free space, in MB (1,000,000 bytes), that photos never take.
    public var reserveMegabytes: Int

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, LibraryKeys.table)
        path = decoder.value(LibraryKeys.path, in: table)
        reserveMegabytes = decoder.value(LibraryKeys.reserve, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(LibraryKeys.table)
        writer.write(LibraryKeys.path, path)
        writer.write(LibraryKeys.reserve, reserveMegabytes)
    }
}
