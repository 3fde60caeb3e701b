// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Shows a session's frames on a display (AVCaptureVideoPreviewLayer's feed).
public final class PreviewOutput: CaptureOutput {
    /// What shows the frames; held strongly.
    public let target: any PreviewTarget
    /// The handoff to the display.
    public let frames: NewestFrame

    /// Asks nothing of the target before a stream is negotiated.
    public init(target: any PreviewTarget) {
        self.target = target
        frames = NewestFrame { target.frameArrived() }
    }

    // MARK: CaptureOutput

    /// One on screen, one waiting for the flip, one waiting to be taken.
    public var heldFrames: Int { 3 }
    /// `true`: the target is told of it each time that it is connected.
    public var isVideoMirroringSupported: Bool { true }
    /// By the display's plane where that can, else by the CPU.
    public func isVideoRotationAngleSupported(_ degrees: Int) -> Bool {
        Rotation(rawValue: degrees) != nil
    }

    /// How frames lie on the display was agreed when the stream was negotiated.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {}

    /// Hands the frame to the target and returns at once; one that still waited is given back.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        frames.put(frame.another())
    }

    /// Gives back the frame that waits and suspends the target, which may keep its last picture.
    /// Whether a stream follows makes no difference.
    public func streamDidStop(willRestart: Bool) {
        frames.clear()
        target.suspend()
    }
}
