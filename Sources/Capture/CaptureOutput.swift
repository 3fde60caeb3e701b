// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
public import Media

/// What a session feeds (AVCaptureOutput). Called on the camera's thread, where it must not block,
/// allocate or wait; what needs time is handed to another thread.
public protocol CaptureOutput: AnyObject, Sendable {
    /// Frames that it holds at the most; that many buffers are allocated for it.
    var heldFrames: Int { get }
    /// Streaming has begun.
    func streamDidStart(_ stream: StreamDescription)
    /// A frame. Keep it with `another()`; without, it goes back to the camera.
    func receive(_ frame: borrowing FrameLease, from camera: any CameraStream)
    /// No more frames come. Leases that are still held stay valid.
    func streamDidStop()
}

/// Shows a session's frames on a display (AVCaptureVideoPreviewLayer's feed).
public final class PreviewOutput: Sendable {
    public let target: any PreviewTarget
    /// The handoff to the display's thread.
    public let frames: NewestFrame

    public init(target: any PreviewTarget) {
        self.target = target
        frames = NewestFrame(wake: target.wake)
    }

    /// One on screen, one waiting for the flip, one waiting to be taken.
    static let heldFrames = 3
}
