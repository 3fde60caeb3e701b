// SPDX-License-Identifier: GPL-3.0-or-later

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

    /// Frames as the camera delivers them.
    public init(output: any CaptureOutput) { self.output = output }

    /// Whether pictures are turned alike on both.
    func isLike(_ other: CaptureConnection) -> Bool {
        isVideoMirrored == other.isVideoMirrored && videoRotationAngle == other.videoRotationAngle
    }

    /// Whether left and right can be swapped, as the output says. `false` can be set on any output.
    public var isVideoMirroringSupported: Bool { output.isVideoMirroringSupported }

    /// Whether the output takes pictures turned clockwise by so many degrees.
    public func isVideoRotationAngleSupported(_ degrees: Int) -> Bool {
        output.isVideoRotationAngleSupported(degrees)
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
