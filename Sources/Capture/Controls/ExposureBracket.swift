// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Several exposures of the same scene, one after the other (AVCapturePhotoBracketSettings).
public struct ExposureBracket: Sendable {
    /// What is set for each photo, in their order.
    public let exposures: [[CameraControl: CameraControlValue]]
    /// What was set before.
    public let before: [CameraControl: CameraControlValue]
    /// Frames until the camera does what it was told: its automatic exposure has to find its way first.
    private let settlingFrames: Int
    /// Whether it was automatic before.
    private let isAutomatic: Bool
    /// Of each exposure, with the one of before it all in front: microseconds, where durations are what is set.
    private let durations: [Double]

    private static let (manualFrames, automaticFrames) = (4, 20)
    /// No camera's exposure is so many times as long: EV.
    private static let farthestBias = 32.0

    /// By the automatic exposure's bias where the camera has one and it is at work, else by the exposure's duration, from
    /// what it is now. Of automatic exposure that is what the driver says, and some cameras go on saying what was once set
    /// by hand: there the duration has to be set before.
    ///
    /// - Parameter biases: EV, of each photo; 0 is what is set now.
    /// - Throws: ``CaptureError/Code/unsupported`` where neither can be set, or not so far; what the driver says.
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
                "camera \"\(controls.identity.name)\" lets nobody set its exposure")
        }
        let areNear = biases.allSatisfy { abs($0) <= Self.farthestBias }
        let durations = areNear ? biases.map { now * Self.power(of: $0) } : []
        guard areNear, durations.allSatisfy({ (least...most).contains($0) }) else {
            throw CaptureError(
                .unsupported,
                "camera \"\(controls.identity.name)\" exposes for \(Int(least)) to \(Int(most)) µs, "
                    + "now for \(Int(now)): not so far apart")
        }
        var manual: [CameraControl: CameraControlValue] = [:]
        // With automatic exposure, too: what was set by hand is what some cameras say of it.
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

    /// Nanoseconds until the camera does what it was told for a photo. Frames that are exposed for longer than they are
    /// apart come slower.
    ///
    /// - Parameters:
    ///   - index: of ``exposures``.
    ///   - frameInterval: nanoseconds from frame to frame, as the stream says.
    public func settlingTime(_ index: Int, frameInterval: Int64) -> Int64 {
        time(
            of: settlingFrames, exposedFor: durations.isEmpty ? [] : durations[index...index + 1],
            frameInterval)
    }

    /// The same until it does what it did ``before``, whichever exposure was the last.
    ///
    /// - Parameter frameInterval: nanoseconds from frame to frame, as the stream says.
    public func settlingTimeAfterwards(frameInterval: Int64) -> Int64 {
        time(
            of: isAutomatic ? Self.automaticFrames : Self.manualFrames, exposedFor: durations[...],
            frameInterval)
    }

    /// Nanoseconds of so many frames, each exposed for the longest of these.
    private func time(
        of frames: Int, exposedFor durations: ArraySlice<Double>, _ frameInterval: Int64
    ) -> Int64 {
        Int64(frames) * max(frameInterval, Int64((durations.max() ?? 0) * 1000))
    }

    /// Whether it is, but for what sums of fractions are off.
    private static func isWithin(_ range: ClosedRange<Double>, _ bias: Double) -> Bool {
        abs(range.clamp(bias) - bias) < 0.001
    }

    /// Two to this power.
    private static func power(of bias: Double) -> Double {
        var (whole, rest) = (1.0, bias)
        while rest >= 1 { (whole, rest) = (whole * 2, rest - 1) }
        while rest < 0 { (whole, rest) = (whole / 2, rest + 1) }
        // Thirds and halves of a stop; in between a straight line is as near as anybody sees.
        return whole * (1 + rest * (0.6565 + 0.3435 * rest))
    }
}

extension ClosedRange<Double> {
    /// The nearest in it.
    fileprivate func clamp(_ value: Double) -> Double { min(max(value, lowerBound), upperBound) }
}
