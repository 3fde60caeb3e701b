// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The same in AVCaptureDevice's words.
extension CameraControls {
    /// AVCaptureDevice.FocusMode.
    public enum FocusMode: String, Sendable {
        /// It stays where it is, or where ``setFocusModeLocked(lensPosition:)`` put it.
        case locked
        case continuousAutoFocus = "auto"
    }
    /// AVCaptureDevice.ExposureMode.
    public enum ExposureMode: String, Sendable {
        case continuousAutoExposure = "auto"
        /// As long as ``setExposureModeCustom(duration:)`` says.
        case custom = "manual"
    }
    /// AVCaptureDevice.WhiteBalanceMode.
    public enum WhiteBalanceMode: String, Sendable {
        case locked
        case continuousAutoWhiteBalance = "auto"
    }
    /// AVCaptureDevice.TorchMode.
    public enum TorchMode: String, Sendable {
        case off, on
    }

    // MARK: focus

    /// Whether the camera has it.
    public func isFocusModeSupported(_ mode: FocusMode) throws(CaptureError) -> Bool {
        try offers(mode.rawValue, .focusMode)
    }

    /// Throws as ``set(_:to:)``.
    public func setFocusMode(_ mode: FocusMode) throws(CaptureError) {
        try set(.focusMode, to: .word(mode.rawValue))
    }

    /// Locks the focus with the lens there, 0 to 1. Throws as ``set(_:)``.
    public func setFocusModeLocked(lensPosition: Double) throws(CaptureError) {
        try set(.lensPosition, to: lensPosition, in: FocusMode.locked.rawValue)
    }

    /// Always `false`: V4L2 has no control for how fast a lens is moved.
    public var isSmoothAutoFocusSupported: Bool { false }

    // MARK: exposure

    /// Whether the camera has it.
    public func isExposureModeSupported(_ mode: ExposureMode) throws(CaptureError) -> Bool {
        try offers(mode.rawValue, .exposureMode)
    }

    /// Throws as ``set(_:to:)``.
    public func setExposureMode(_ mode: ExposureMode) throws(CaptureError) {
        try set(.exposureMode, to: .word(mode.rawValue))
    }

    /// Exposes each frame so long. Throws as ``set(_:)``.
    public func setExposureModeCustom(duration: MediaTime) throws(CaptureError) {
        try set(.exposureDuration, to: duration.seconds * 1e6, in: ExposureMode.custom.rawValue)
    }

    /// The shortest and the longest; `nil` where it cannot be set.
    public func exposureDurations() throws(CaptureError) -> ClosedRange<Double>? {
        try range(of: .exposureDuration).map { $0.lowerBound / 1e6...$0.upperBound / 1e6 }
    }

    /// EV; `nil` where it cannot be set.
    public func exposureTargetBiases() throws(CaptureError) -> ClosedRange<Double>? {
        try range(of: .exposureTargetBias)
    }

    /// In EV. Throws as ``set(_:to:)``.
    public func setExposureTargetBias(_ bias: Double) throws(CaptureError) {
        try set(.exposureTargetBias, to: .number(bias))
    }

    // MARK: white balance, zoom, torch

    /// Whether the camera has it.
    public func isWhiteBalanceModeSupported(
        _ mode: WhiteBalanceMode
    ) throws(CaptureError) -> Bool {
        try offers(mode.rawValue, .whiteBalanceMode)
    }

    /// Throws as ``set(_:to:)``.
    public func setWhiteBalanceMode(_ mode: WhiteBalanceMode) throws(CaptureError) {
        try set(.whiteBalanceMode, to: .word(mode.rawValue))
    }

    /// Locks the white balance on a light of so many kelvin. Throws as ``set(_:)``.
    public func setWhiteBalanceModeLocked(temperature: Double) throws(CaptureError) {
        try set(.whiteBalanceTemperature, to: temperature, in: WhiteBalanceMode.locked.rawValue)
    }

    /// Sets a control and, where the camera has it, the mode that it counts in: both, or nothing.
    private func set(
        _ control: CameraControl, to number: Double, in mode: String
    ) throws(CaptureError) {
        var values: [CameraControl: CameraControlValue] = [control: .number(number)]
        if let master = control.master, try isSupported(master.control) {
            values[master.control] = .word(mode)
        }
        try set(values)
    }

    /// The least and the most of the format that is set now; 1 to 1 where the camera does not zoom.
    public func availableVideoZoomFactors() throws(CaptureError) -> ClosedRange<Double> {
        try range(of: .videoZoomFactor) ?? 1...1
    }

    /// What is out of range becomes the nearest. Throws as ``set(_:to:)``.
    public func setVideoZoomFactor(_ factor: Double) throws(CaptureError) {
        try set(.videoZoomFactor, to: .number(factor))
    }

    /// Whether the camera has a light of its own.
    public func hasTorch() throws(CaptureError) -> Bool { try isSupported(.torchMode) }

    /// Throws as ``set(_:to:)``.
    public func setTorchMode(_ mode: TorchMode) throws(CaptureError) {
        try set(.torchMode, to: .word(mode.rawValue))
    }

    private func offers(_ word: String, _ control: CameraControl) throws(CaptureError) -> Bool {
        try state(of: control)?.choices?.contains(word) ?? false
    }

    private func range(of control: CameraControl) throws(CaptureError) -> ClosedRange<Double>? {
        guard let state = try state(of: control), let least = state.minimum,
            let most = state.maximum
        else { return nil }
        return least...most
    }
}
