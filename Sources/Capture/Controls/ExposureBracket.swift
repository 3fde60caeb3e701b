// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Several exposures of one scene, taken in turn (AVCapturePhotoBracketSettings).
public struct ExposureBracket: Sendable {
    /// The control values for each photo, in order.
    public let exposures: [[CameraControl: CameraControlValue]]
    /// The control values to restore afterwards.
    public let before: [CameraControl: CameraControlValue]
    /// Frames until the camera follows a setting; automatic exposure needs time to converge.
    private let settlingFrames: Int
    private let isAutomatic: Bool
    /// The microseconds of exposure before the bracket, then of each photo; empty for biases.
    private let durations: [Double]

    private static let (manualFrames, automaticFrames) = (4, 20)
    /// The largest bias in EV; no camera's range of exposure times is wider.
    private static let farthestBias = 32.0

    /// Plans one exposure per bias, in EV around the current exposure. They vary the bias of
    /// automatic exposure if it is active and its range suffices, otherwise the exposure time. In
    /// automatic mode, the driver reports the current time. For cameras that report the last manual
    /// time instead, the caller must set a time first. Throws ``CaptureError/Code/unsupported`` if
    /// neither can be set, or not that far; the driver's errors.
    public init(_ biases: [Double], of controls: CameraControls) throws(CaptureError) {
        if let bias = try controls.state(of: .exposureTargetBias), bias.isActive,
            let range = try controls.exposureTargetBiases(), case .number(let now) = bias.value,
            biases.allSatisfy({ Self.isWithin(range, now + $0) })
        {
            before = [.exposureTargetBias: .number(now)]
            exposures = biases.map { [.exposureTargetBias: .number(range.clamp(now + $0))] }
            durations = []
            settlingFrames = Self.automaticFrames
            isAutomatic = true
            return
        }
        guard let duration = try controls.state(of: .exposureDuration),
            case .number(let now) = duration.value, let least = duration.minimum,
            let most = duration.maximum
        else {
            throw CaptureError(
                .unsupported,
                "camera \"\(controls.identity.name)\" has no control for its exposure")
        }
        let areNear = biases.allSatisfy { abs($0) <= Self.farthestBias }
        let durations = areNear ? biases.map { now * Self.power(of: $0) } : []
        guard areNear, durations.allSatisfy({ (least...most).contains($0) }) else {
            throw CaptureError(
                .unsupported,
                "camera \"\(controls.identity.name)\" exposes for \(Int(now)) µs, and can for "
                    + "\(Int(least)) to \(Int(most)): the photos would be too far apart")
        }
        var manual: [CameraControl: CameraControlValue] = [:]
        // Restored in automatic mode too, because some cameras report the last manual time then.
        var before = [CameraControl.exposureDuration: duration.value]
        let mode = try controls.state(of: .exposureMode)
        if let mode {
            manual = [.exposureMode: .word(CameraControls.ExposureMode.custom.rawValue)]
            before[.exposureMode] = mode.value
        }
        self.before = before
        isAutomatic = mode != nil && mode?.value != manual[.exposureMode]
        exposures = durations.map { value in
            manual.merging([.exposureDuration: .number(value)]) { $1 }
        }
        self.durations = [now] + durations
        settlingFrames = Self.manualFrames
    }

    /// Returns the nanoseconds until the camera follows the settings of exposure `index`. Exposures
    /// longer than the stream's `frameInterval`, in nanoseconds, slow the frames down.
    public func settlingTime(_ index: Int, frameInterval: Int64) -> Int64 {
        time(
            of: settlingFrames, exposedFor: durations.isEmpty ? [] : durations[index...index + 1],
            frameInterval)
    }

    /// Returns the nanoseconds until the camera follows ``before`` again, whichever exposure was
    /// last. The stream's `frameInterval` is in nanoseconds.
    public func settlingTimeAfterwards(frameInterval: Int64) -> Int64 {
        time(
            of: isAutomatic ? Self.automaticFrames : Self.manualFrames, exposedFor: durations[...],
            frameInterval)
    }

    /// Returns the nanoseconds of this many frames, each exposed for the longest of `durations`.
    private func time(
        of frames: Int, exposedFor durations: ArraySlice<Double>, _ frameInterval: Int64
    ) -> Int64 {
        Int64(frames) * max(frameInterval, Int64((durations.max() ?? 0) * 1000))
    }

    /// Returns whether the range contains `bias`, up to rounding errors.
    private static func isWithin(_ range: ClosedRange<Double>, _ bias: Double) -> Bool {
        abs(range.clamp(bias) - bias) < 0.001
    }

    /// Returns two to the power of `bias`.
    private static func power(of bias: Double) -> Double {
        var (whole, rest) = (1.0, bias)
        while rest >= 1 { (whole, rest) = (whole * 2, rest - 1) }
        while rest < 0 { (whole, rest) = (whole / 2, rest + 1) }
        // A quadratic approximation, within half a percent: nobody sees the difference.
        return whole * (1 + rest * (0.6565 + 0.3435 * rest))
    }
}

extension ClosedRange<Double> {
    fileprivate func clamp(_ value: Double) -> Double { min(max(value, lowerBound), upperBound) }
}
