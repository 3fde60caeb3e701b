// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The connection of a session to one output, with the orientation of the pictures
/// (AVCaptureConnection).
public struct CaptureConnection: Sendable {
    /// The output that receives the frames; held strongly.
    public let output: any CaptureOutput
    /// Whether left and right are swapped, as in a mirror; initially `false`.
    public private(set) var isVideoMirrored = false
    /// The clockwise degrees that turn a picture upright before it is mirrored; initially 0.
    public private(set) var videoRotationAngle = 0

    /// Whether recordings are stabilized (AVCaptureVideoStabilizationMode).
    public enum VideoStabilizationMode: String, Sendable {
        case off
        /// Stabilizes as the output chooses.
        case auto
    }
    /// The stabilization mode; initially ``VideoStabilizationMode/off``.
    public private(set) var preferredVideoStabilizationMode = VideoStabilizationMode.off

    /// Connects `output`, which gets frames as the camera delivers them.
    public init(output: any CaptureOutput) { self.output = output }

    /// The rotation, followed by the mirroring, as stored in files.
    public var orientation: ExifOrientation {
        ExifOrientation(
            rotation: Rotation(rawValue: videoRotationAngle) ?? .none, isMirrored: isVideoMirrored)
    }

    func isLike(_ other: CaptureConnection) -> Bool {
        isVideoMirrored == other.isVideoMirrored && videoRotationAngle == other.videoRotationAngle
            && preferredVideoStabilizationMode == other.preferredVideoStabilizationMode
    }

    /// Whether the output can mirror pictures. Every output accepts `false`.
    public var isVideoMirroringSupported: Bool { output.isVideoMirroringSupported }

    /// Returns whether the output can rotate pictures clockwise by this angle.
    public func isVideoRotationAngleSupported(_ degrees: Int) -> Bool {
        output.isVideoRotationAngleSupported(degrees)
    }

    /// Whether the output can stabilize pictures. Every output accepts `off`.
    public var isVideoStabilizationSupported: Bool { output.isVideoStabilizationSupported }

    /// Sets the stabilization mode; a recording in progress is not affected. Throws
    /// ``CaptureError/Code/unsupported`` if the output cannot stabilize.
    public mutating func setPreferredVideoStabilizationMode(
        _ mode: VideoStabilizationMode
    ) throws(CaptureError) {
        guard mode == .off || isVideoStabilizationSupported else {
            throw CaptureError(.unsupported, "\(type(of: output)) does not stabilize pictures")
        }
        preferredVideoStabilizationMode = mode
    }

    /// Sets mirroring; throws ``CaptureError/Code/unsupported`` if the output cannot mirror.
    public mutating func setVideoMirrored(_ isMirrored: Bool) throws(CaptureError) {
        guard !isMirrored || isVideoMirroringSupported else {
            throw CaptureError(.unsupported, "\(type(of: output)) does not mirror pictures")
        }
        isVideoMirrored = isMirrored
    }

    /// Sets the clockwise turn; throws ``CaptureError/Code/unsupported`` if the output lacks it.
    public mutating func setVideoRotationAngle(_ degrees: Int) throws(CaptureError) {
        guard isVideoRotationAngleSupported(degrees) else {
            throw CaptureError(
                .unsupported, "\(type(of: output)) does not turn pictures by \(degrees) degrees")
        }
        videoRotationAngle = degrees
    }
}
