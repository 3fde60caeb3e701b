// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The controls under AVCaptureDevice's names.
extension CameraControls {
    /// The focus mode (AVCaptureDevice.FocusMode).
    public enum FocusMode: String, Sendable {
        /// The lens stays where it is, or where ``setFocusModeLocked(lensPosition:)`` put it.
        case locked
        case continuousAutoFocus = "auto"
    }
    /// The exposure mode (AVCaptureDevice.ExposureMode).
    public enum ExposureMode: String, Sendable {
        case continuousAutoExposure = "auto"
        /// The exposure time is that of ``setExposureModeCustom(duration:)``.
        case custom = "manual"
    }
    /// The white balance mode (AVCaptureDevice.WhiteBalanceMode).
    public enum WhiteBalanceMode: String, Sendable {
        case locked
        case continuousAutoWhiteBalance = "auto"
    }
    /// The torch mode (AVCaptureDevice.TorchMode).
    public enum TorchMode: String, Sendable {
        case off, on
    }

    // MARK: focus

    /// Returns whether the camera supports the mode.
    public func isFocusModeSupported(_ mode: FocusMode) throws(CaptureError) -> Bool {
        try offers(mode.rawValue, .focusMode)
    }

    /// Sets the focus mode. Throws the errors of ``set(_:to:)``.
    public func setFocusMode(_ mode: FocusMode) throws(CaptureError) {
        try set(.focusMode, to: .word(mode.rawValue))
    }

    /// Locks the focus at a lens position from 0 to 1. Throws the errors of ``set(_:)``.
    public func setFocusModeLocked(lensPosition: Double) throws(CaptureError) {
        try set(.lensPosition, to: lensPosition, in: FocusMode.locked.rawValue)
    }

    /// Always `false`: V4L2 has no control for the speed of the lens.
    public var isSmoothAutoFocusSupported: Bool { false }

    // MARK: exposure

    /// Returns whether the camera supports the mode.
    public func isExposureModeSupported(_ mode: ExposureMode) throws(CaptureError) -> Bool {
        try offers(mode.rawValue, .exposureMode)
    }

    /// Sets the exposure mode. Throws the errors of ``set(_:to:)``.
    public func setExposureMode(_ mode: ExposureMode) throws(CaptureError) {
        try set(.exposureMode, to: .word(mode.rawValue))
    }

    /// Exposes each frame for this duration. Throws the errors of ``set(_:)``.
    public func setExposureModeCustom(duration: MediaTime) throws(CaptureError) {
        try set(.exposureDuration, to: duration.seconds * 1e6, in: ExposureMode.custom.rawValue)
    }

    /// Returns the shortest and longest exposure in seconds; `nil` if it cannot be set.
    public func exposureDurations() throws(CaptureError) -> ClosedRange<Double>? {
        try range(of: .exposureDuration).map { $0.lowerBound / 1e6...$0.upperBound / 1e6 }
    }

    /// Returns the range of the exposure bias in EV; `nil` if it cannot be set.
    public func exposureTargetBiases() throws(CaptureError) -> ClosedRange<Double>? {
        try range(of: .exposureTargetBias)
    }

    /// Sets the exposure bias in EV. Throws the errors of ``set(_:to:)``.
    public func setExposureTargetBias(_ bias: Double) throws(CaptureError) {
        try set(.exposureTargetBias, to: .number(bias))
    }

    // MARK: white balance, zoom, torch

    /// Returns whether the camera supports the mode.
    public func isWhiteBalanceModeSupported(
        _ mode: WhiteBalanceMode
    ) throws(CaptureError) -> Bool {
        try offers(mode.rawValue, .whiteBalanceMode)
    }

    /// Sets the white balance mode. Throws the errors of ``set(_:to:)``.
    public func setWhiteBalanceMode(_ mode: WhiteBalanceMode) throws(CaptureError) {
        try set(.whiteBalanceMode, to: .word(mode.rawValue))
    }

    /// Locks the white balance at a colour temperature in kelvin. Throws the errors of ``set(_:)``.
    public func setWhiteBalanceModeLocked(temperature: Double) throws(CaptureError) {
        try set(.whiteBalanceTemperature, to: temperature, in: WhiteBalanceMode.locked.rawValue)
    }

    /// Sets a control and, if the camera has it, the mode that makes it effective: both or neither.
    private func set(
        _ control: CameraControl, to number: Double, in mode: String
    ) throws(CaptureError) {
        var values: [CameraControl: CameraControlValue] = [control: .number(number)]
        if let master = control.master, try isSupported(master.control) {
            values[master.control] = .word(mode)
        }
        try set(values)
    }

    /// Returns the current format's least and greatest zoom factor; 1 to 1 without zoom.
    public func availableVideoZoomFactors() throws(CaptureError) -> ClosedRange<Double> {
        try range(of: .videoZoomFactor) ?? 1...1
    }

    /// Sets the zoom factor, or the nearest in range. Throws the errors of ``set(_:to:)``.
    public func setVideoZoomFactor(_ factor: Double) throws(CaptureError) {
        try set(.videoZoomFactor, to: .number(factor))
    }

    /// Returns whether the camera has a light of its own.
    public func hasTorch() throws(CaptureError) -> Bool { try isSupported(.torchMode) }

    /// Sets the torch mode. Throws the errors of ``set(_:to:)``.
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
