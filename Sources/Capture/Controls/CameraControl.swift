// SPDX-License-Identifier: GPL-3.0-or-later

internal import V4L2

/// A camera setting, if the driver has a control for it. Commands and files use the raw value.
public enum CameraControl: String, Sendable, Codable, CaseIterable {
    /// The exposure mode: `auto` or `manual` (AVCaptureDevice.ExposureMode).
    case exposureMode = "exposure"
    /// The exposure time in microseconds; effective in manual mode.
    case exposureDuration = "exposure_us"
    /// The exposure bias in EV, brighter above 0; effective in automatic mode.
    case exposureTargetBias = "exposure_bias_ev"
    /// The gain mode: `auto` or `manual`.
    case gainMode = "gain_mode"
    /// The gain in the driver's units; effective in manual mode.
    case gain
    /// The focus mode: `auto` (continuous) or `locked` (AVCaptureDevice.FocusMode).
    case focusMode = "focus"
    /// The lens position from 0, the driver's lowest value, to 1; effective while the focus is
    /// locked (AVCaptureDevice.lensPosition).
    case lensPosition = "focus_position"
    /// The white balance mode: `auto` (continuous) or `locked`.
    case whiteBalanceMode = "white_balance"
    /// The colour temperature in kelvin; effective while the white balance is locked.
    case whiteBalanceTemperature = "white_balance_k"
    /// The zoom factor; 1 is no zoom (AVCaptureDevice.videoZoomFactor). A factor out of range
    /// becomes the nearest. If the driver counts steps from 0, this is the step plus one.
    case videoZoomFactor = "zoom"
    /// The mains frequency, against bands in the picture: `off`, `50hz`, `60hz` or `auto`.
    case powerLineFrequency = "power_line"
    /// The camera's own light: `off` or `on` (AVCaptureDevice.TorchMode).
    case torchMode = "torch"
    /// The backlight compensation, in the driver's units like all that follow.
    case backlightCompensation = "backlight_compensation"
    case brightness, contrast, saturation, sharpness

    /// The mode control, and its word, under which this control is effective; `nil` for always.
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

    /// The words of this control and their raw values, the preferred one first; `nil` for a number.
    var words: [(word: String, raw: [Int64])]? {
        switch self {
        // Cameras without an aperture call automatic exposure "aperture priority" (3).
        case .exposureMode: [("auto", [0, 3, 2]), ("manual", [1])]
        case .gainMode: [("auto", [1]), ("manual", [0])]
        case .focusMode, .whiteBalanceMode: [("auto", [1]), ("locked", [0])]
        case .powerLineFrequency: [("off", [0]), ("50hz", [1]), ("60hz", [2]), ("auto", [3])]
        case .torchMode: [("off", [0]), ("on", [2])]
        default: nil
        }
    }
}

/// A value of a ``CameraControl``; in JSON, a number or a string.
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

    /// Writes a number or a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .word(let word): try container.encode(word)
        }
    }

    /// Parses what a person types: a number if possible, otherwise a word.
    public init(_ text: String) {
        let number = Double(text).flatMap { $0.isFinite ? $0 : nil }
        self = number.map { .number($0) } ?? .word(text)
    }

    /// The value in the form that ``init(_:)`` parses; whole numbers have no decimal point.
    public var description: String {
        switch self {
        case .number(let number):
            number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
        case .word(let word): word
        }
    }
}

/// The state of a ``CameraControl``.
public struct CameraControlState: Sendable, Codable {
    /// The control.
    public let name: CameraControl
    /// The driver's value; for an inactive control, the value that was last set.
    public let value: CameraControlValue
    /// The driver's default value.
    public let defaultValue: CameraControlValue
    /// The lowest and highest value and the step between values; `nil` for words.
    public let minimum, maximum, step: Double?
    /// The words that can be chosen; `nil` for numbers.
    public let choices: [String]?
    /// Whether the control has an effect now; an exposure time has none in automatic mode.
    public let isActive: Bool

    private enum CodingKeys: String, CodingKey {
        case name, value, defaultValue = "default", minimum, maximum, step, choices
        case isActive = "active"
    }
}
