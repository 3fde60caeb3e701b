// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
public import Media

/// What a session feeds (AVCaptureOutput). Frames and the stream's start and end come on the camera's
/// thread, where it must not block, allocate or wait; what needs time is handed to another thread. What
/// is supported is asked on any thread.
public protocol CaptureOutput: AnyObject, Sendable {
    /// Frames that it holds at the most; that many buffers are allocated for it.
    var heldFrames: Int { get }
    /// Whether it is about something that a gap in the stream would spoil. Any thread.
    var mustNotBeInterrupted: Bool { get }
    /// What its connection may be set to.
    var isVideoMirroringSupported: Bool { get }
    /// Whether it takes the shaking out of pictures.
    var isVideoStabilizationSupported: Bool { get }
    func isVideoRotationAngleSupported(_ degrees: Int) -> Bool
    /// Streaming has begun; pictures are to be turned as the connection says.
    func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection)
    /// A frame. Keep it with `another()`; without, it goes back to the camera.
    func receive(_ frame: borrowing FrameLease, from camera: any CameraStream)
    /// No more frames come. Leases that are still held stay valid.
    ///
    /// - Parameter willRestart: whether the stream is only agreed anew, because the display or the
    ///   configuration has changed: its successor starts within seconds, or another call says that it
    ///   could not.
    func streamDidStop(willRestart: Bool)
    /// The session's microphone is another now, or there is none any more. Called where the session is configured,
    /// whether it runs or not.
    func soundSourceDidChange(_ microphone: Microphone?)
}

extension CaptureOutput {
    /// `false`, where an output does not say.
    public var mustNotBeInterrupted: Bool { false }
    /// `false`, where an output does not say.
    public var isVideoMirroringSupported: Bool { false }
    /// It does not.
    public var isVideoStabilizationSupported: Bool { false }
    /// Only 0, where an output does not say.
    public func isVideoRotationAngleSupported(_ degrees: Int) -> Bool { degrees == 0 }
    /// Nothing, where an output makes no use of sound.
    public func soundSourceDidChange(_ microphone: Microphone?) {}
}
