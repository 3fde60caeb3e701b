// SPDX-License-Identifier: GPL-3.0-or-later

internal import V4L2

/// What of a camera can be set, where its driver has a control for it. The raw value is what people and files call it.
public enum CameraControl: String, Sendable, Codable, CaseIterable {
    /// `auto` or `manual` (AVCaptureDevice.ExposureMode).
    case exposureMode = "exposure"
    /// Microseconds, while the mode is manual.
    case exposureDuration = "exposure_us"
    /// EV, while the mode is automatic: brighter above 0.
    case exposureTargetBias = "exposure_bias_ev"
    /// `auto` or `manual`.
    case gainMode = "gain_mode"
    /// In the driver's units, while the mode is manual.
    case gain
    /// `auto` (continuously) or `locked` (AVCaptureDevice.FocusMode).
    case focusMode = "focus"
    /// From 0, the lowest value that the driver has, to 1, while the focus is locked (AVCaptureDevice.lensPosition).
    case lensPosition = "focus_position"
    /// `auto` (continuously) or `locked`.
    case whiteBalanceMode = "white_balance"
    /// Kelvin, while the white balance is locked.
    case whiteBalanceTemperature = "white_balance_k"
    /// The factor, 1 for none (AVCaptureDevice.videoZoomFactor): what is out of range becomes the nearest. Of drivers that
    /// do not tell factors but steps from 0 on, one more than these.
    case videoZoomFactor = "zoom"
    /// The light's, against bands in the picture: `off`, `50hz`, `60hz` or `auto`.
    case powerLineFrequency = "power_line"
    /// The camera's own light: `off` or `on` (AVCaptureDevice.TorchMode).
    case torchMode = "torch"
    /// In the driver's units, as all that follow.
    case backlightCompensation = "backlight_compensation"
    case brightness, contrast, saturation, sharpness

    /// The mode that lets its value count, and by which word; `nil` for what always counts.
    package var master: (control: CameraControl, word: String)? {
        switch self {
        case .exposureDuration: (.exposureMode, "manual")
        case .exposureTargetBias: (.exposureMode, "auto")
        case .gain: (.gainMode, "manual")
        case .lensPosition: (.focusMode, "locked")
        case .whiteBalanceTemperature: (.whiteBalanceMode, "locked")
        default: nil
        }
    }

    /// V4L2's number.
    package var identifier: UInt32 {
        switch self {
        case .exposureMode: VideoControl.Identifier.exposureAuto
        case .exposureDuration: VideoControl.Identifier.exposureAbsolute
        case .exposureTargetBias: VideoControl.Identifier.autoExposureBias
        case .gainMode: VideoControl.Identifier.autogain
        case .gain: VideoControl.Identifier.gain
        case .focusMode: VideoControl.Identifier.focusAuto
        case .lensPosition: VideoControl.Identifier.focusAbsolute
        case .whiteBalanceMode: VideoControl.Identifier.autoWhiteBalance
        case .whiteBalanceTemperature: VideoControl.Identifier.whiteBalanceTemperature
        case .videoZoomFactor: VideoControl.Identifier.zoomAbsolute
        case .powerLineFrequency: VideoControl.Identifier.powerLineFrequency
        case .torchMode: VideoControl.Identifier.flashLEDMode
        case .backlightCompensation: VideoControl.Identifier.backlightCompensation
        case .brightness: VideoControl.Identifier.brightness
        case .contrast: VideoControl.Identifier.contrast
        case .saturation: VideoControl.Identifier.saturation
        case .sharpness: VideoControl.Identifier.sharpness
        }
    }

    /// Its words, each with the raw values that mean it, the preferred first; `nil` where it is a number.
    var words: [(word: String, raw: [Int64])]? {
        switch self {
        // Aperture priority is what cameras without an aperture call automatic.
        case .exposureMode: [("auto", [0, 3, 2]), ("manual", [1])]
        case .gainMode: [("auto", [1]), ("manual", [0])]
        case .focusMode, .whiteBalanceMode: [("auto", [1]), ("locked", [0])]
        case .powerLineFrequency: [("off", [0]), ("50hz", [1]), ("60hz", [2]), ("auto", [3])]
        case .torchMode: [("off", [0]), ("on", [2])]
        default: nil
        }
    }
}

/// A value of a ``CameraControl``. As JSON a number or a string.
public enum CameraControlValue: Sendable, Hashable, Codable, CustomStringConvertible {
    case number(Double)
    case word(String)

    /// Reads a number or a string; throws for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .word(try container.decode(String.self))
        }
    }

    /// As ``init(from:)`` reads it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .word(let word): try container.encode(word)
        }
    }

    /// As a person types it: a number where it is one.
    public init(_ text: String) {
        let number = Double(text).flatMap { $0.isFinite ? $0 : nil }
        self = number.map { .number($0) } ?? .word(text)
    }

    /// As ``init(_:)`` reads it; whole numbers without a point.
    public var description: String {
        switch self {
        case .number(let number):
            number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
        case .word(let word): word
        }
    }
}

/// How a ``CameraControl`` stands.
public struct CameraControlState: Sendable, Codable {
    /// Which.
    public let name: CameraControl
    /// As the driver says; of one that another one rules, what was set last.
    public let value: CameraControlValue
    /// The driver's.
    public let defaultValue: CameraControlValue
    /// Of numbers: the lowest and the highest that can be set, and from one to the next.
    public let minimum, maximum, step: Double?
    /// Of the others: what can be chosen.
    public let choices: [String]?
    /// Whether it counts now: not the exposure time while the exposure is automatic.
    public let isActive: Bool

    private enum CodingKeys: String, CodingKey {
        case name, value, defaultValue = "default", minimum, maximum, step, choices
        case isActive = "active"
    }
}
