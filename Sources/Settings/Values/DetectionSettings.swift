// SPDX-License-Identifier: GPL-3.0-or-later

/// The detection of motion and codes in the camera's pictures.
public struct DetectionSettings: Sendable, Equatable {
    /// Whether motion turns a dark screen on.
    public var wakesOnMotion: Bool
    /// Whether QR codes and bar codes are read.
    public var readsCodes: Bool
    /// The time between two examined pictures.
    public var intervalSeconds: Double

    /// The defaults: no detection.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, DetectionKeys.table)
        wakesOnMotion = decoder.value(DetectionKeys.wakes, in: table)
        readsCodes = decoder.value(DetectionKeys.codes, in: table)
        intervalSeconds = decoder.value(DetectionKeys.interval, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(DetectionKeys.table)
        writer.write(DetectionKeys.wakes, wakesOnMotion)
        writer.write(DetectionKeys.codes, readsCodes)
        writer.write(DetectionKeys.interval, intervalSeconds)
    }
}
