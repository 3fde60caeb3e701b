// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
public import Media

/// An output of a session (AVCaptureOutput). The camera's thread delivers frames and the stream's
/// start and end: an output must not block, allocate or wait there, and leaves slow work to another
/// thread. Any thread may ask what an output supports.
public protocol CaptureOutput: AnyObject, Sendable {
    /// The most frames that the output holds at a time; as many buffers are allocated for it.
    var heldFrames: Int { get }
    /// Whether a gap in the stream would spoil the output's current work. Any thread.
    var mustNotBeInterrupted: Bool { get }
    var isVideoMirroringSupported: Bool { get }
    var isVideoStabilizationSupported: Bool { get }
    func isVideoRotationAngleSupported(_ degrees: Int) -> Bool
    /// The stream has started; the connection says how to orient its pictures.
    func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection)
    /// Takes a frame, which goes back to the camera on return unless kept with `another()`.
    func receive(_ frame: borrowing FrameLease, from camera: any CameraStream)
    /// The stream has stopped. Leases that are still held stay valid. If `willRestart`, the stream
    /// is only negotiated again, after a change of display or configuration: its successor starts
    /// within seconds, or a second call with `false` says that it did not.
    func streamDidStop(willRestart: Bool)
    /// The session's microphone has changed; `nil` if it has none now. Called by the code that
    /// configures the session, whether it runs or not.
    func soundSourceDidChange(_ microphone: Microphone?)
}

extension CaptureOutput {
    /// `false` by default.
    public var mustNotBeInterrupted: Bool { false }
    /// `false` by default.
    public var isVideoMirroringSupported: Bool { false }
    /// `false` by default.
    public var isVideoStabilizationSupported: Bool { false }
    /// Returns whether the angle is 0, by default.
    public func isVideoRotationAngleSupported(_ degrees: Int) -> Bool { degrees == 0 }
    /// Does nothing by default.
    public func soundSourceDidChange(_ microphone: Microphone?) {}
}
