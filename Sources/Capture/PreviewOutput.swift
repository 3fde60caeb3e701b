// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Shows a session's frames on a display (AVCaptureVideoPreviewLayer's feed).
public final class PreviewOutput: CaptureOutput {
    public let target: any PreviewTarget
    /// The handoff to the display.
    public let frames: NewestFrame

    public init(target: any PreviewTarget) {
        self.target = target
        frames = NewestFrame { target.frameArrived() }
    }

    // MARK: CaptureOutput

    /// One on screen, one waiting for the flip, one waiting to be taken.
    public var heldFrames: Int { 3 }
    public var isVideoMirroringSupported: Bool { true }

    /// How frames lie on the display was agreed when the stream was negotiated.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {}

    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        frames.put(frame.another())
    }

    public func streamDidStop(willRestart: Bool) {
        frames.clear()
        target.suspend()
    }
}
