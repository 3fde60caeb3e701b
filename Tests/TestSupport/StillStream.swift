// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
public import LinuxIO
public import Media

/// A camera stream that provides only its exposure time, for outputs that a test gives frames to.
public final class StillStream: CameraStream {
    private let exposure: Int64?

    /// Creates a stream.
    ///
    /// - Parameter exposure: The exposure time in nanoseconds; `nil` if the driver does not report
    ///   it.
    public init(exposure: Int64? = nil) { self.exposure = exposure }

    /// Always -1: no descriptor.
    public var readyDescriptor: CInt { -1 }
    /// Always throws `EINVAL`.
    public func configure(
        _ format: CaptureFormat, frameRate: Double?
    ) throws(SystemCallError) -> StreamDescription {
        throw SystemCallError(call: "-", code: 22)
    }
    /// Returns no buffers.
    public func allocate(
        _ memory: StreamMemory, count: Int
    ) throws(SystemCallError) -> [[FrameBuffer]] { [] }
    /// Does nothing.
    public func queue(_ slot: FrameSlot) throws(SystemCallError) {}
    /// Returns no frame.
    public func dequeue() throws(SystemCallError) -> DequeuedFrame? { nil }
    /// Does nothing.
    public func start() throws(SystemCallError) {}
    /// Does nothing.
    public func pause() throws(SystemCallError) {}
    /// Does nothing.
    public func stop() {}
    /// Returns the exposure time that was given at the creation.
    public func exposureTime() -> Int64? { exposure }
}
