// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The way of a session's frames to one output, and how pictures are turned on it
/// (AVCaptureConnection).
public struct CaptureConnection: Sendable {
    /// Where the frames go; held strongly.
    public let output: any CaptureOutput
    /// Whether left and right are swapped, as in a mirror; `false` at first.
    public private(set) var isVideoMirrored = false
    /// Degrees by which a picture is turned clockwise to stand upright, before it is mirrored; 0 at
    /// first.
    public private(set) var videoRotationAngle = 0

    /// Whether shaking is taken out of what is recorded (AVCaptureVideoStabilizationMode).
    public enum VideoStabilizationMode: String, Sendable {
        case off
        /// As the output can.
        case auto
    }
    /// ``VideoStabilizationMode/off`` at first.
    public private(set) var preferredVideoStabilizationMode = VideoStabilizationMode.off

    /// Frames as the camera delivers them.
    public init(output: any CaptureOutput) { self.output = output }

    /// The turn, and the mirroring after it, as files note them.
    public var orientation: ExifOrientation {
        ExifOrientation(
            rotation: Rotation(rawValue: videoRotationAngle) ?? .none, isMirrored: isVideoMirrored)
    }

    /// Whether pictures are turned alike on both.
    func isLike(_ other: CaptureConnection) -> Bool {
        isVideoMirrored == other.isVideoMirrored && videoRotationAngle == other.videoRotationAngle
            && preferredVideoStabilizationMode == other.preferredVideoStabilizationMode
    }

    /// Whether left and right can be swapped, as the output says. `false` can be set on any output.
    public var isVideoMirroringSupported: Bool { output.isVideoMirroringSupported }

    /// Whether the output takes pictures turned clockwise by so many degrees.
    public func isVideoRotationAngleSupported(_ degrees: Int) -> Bool {
        output.isVideoRotationAngleSupported(degrees)
    }

    /// Whether the output takes the shaking out. It can be set to `off` on any output.
    public var isVideoStabilizationSupported: Bool { output.isVideoStabilizationSupported }

    /// What is being recorded is not touched by it.
    ///
    /// - Throws: ``CaptureError/Code/unsupported`` when the output cannot.
    public mutating func setPreferredVideoStabilizationMode(
        _ mode: VideoStabilizationMode
    ) throws(CaptureError) {
        guard mode == .off || isVideoStabilizationSupported else {
            throw CaptureError(.unsupported, "\(type(of: output)) does not stabilize pictures")
        }
        preferredVideoStabilizationMode = mode
    }

    /// - Throws: ``CaptureError/Code/unsupported`` when the output cannot.
    public mutating func setVideoMirrored(_ isMirrored: Bool) throws(CaptureError) {
        guard !isMirrored || isVideoMirroringSupported else {
            throw CaptureError(.unsupported, "\(type(of: output)) does not mirror pictures")
        }
        isVideoMirrored = isMirrored
    }

    /// - Throws: ``CaptureError/Code/unsupported`` when the output cannot.
    public mutating func setVideoRotationAngle(_ degrees: Int) throws(CaptureError) {
        guard isVideoRotationAngleSupported(degrees) else {
            throw CaptureError(
                .unsupported, "\(type(of: output)) does not turn pictures by \(degrees) degrees")
        }
        videoRotationAngle = degrees
    }
}
