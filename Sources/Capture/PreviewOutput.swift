// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Shows a session's frames on a display (AVCaptureVideoPreviewLayer's feed).
public final class PreviewOutput: CaptureOutput {
    /// The display that shows the frames; held strongly.
    public let target: any PreviewTarget
    /// The handoff to the display.
    public let frames: FrameHandoff

    /// Creates an output; the target is not called before a stream is negotiated.
    public init(target: any PreviewTarget) {
        self.target = target
        frames = FrameHandoff { target.frameArrived() }
    }

    // MARK: CaptureOutput

    /// Three frames: one on screen, one waiting for the page flip, one waiting to be taken.
    public var heldFrames: Int { 3 }
    /// `true`: the target learns of mirroring each time that it is connected.
    public var isVideoMirroringSupported: Bool { true }
    /// `true` for quarter turns: the display's plane rotates pictures, or else the CPU.
    public func isVideoRotationAngleSupported(_ degrees: Int) -> Bool {
        Rotation(rawValue: degrees) != nil
    }

    /// Does nothing: the negotiation has set the orientation already.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {}

    /// Puts the frame in place of one that the target has not taken; returns at once.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        frames.put(frame.another())
    }

    /// Returns the waiting frame and suspends the target, which may keep its last picture.
    /// `willRestart` makes no difference.
    public func streamDidStop(willRestart: Bool) {
        frames.clear()
        target.suspend()
    }
}
