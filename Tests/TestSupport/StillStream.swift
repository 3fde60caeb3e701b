// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
public import LinuxIO
public import Media

/// A camera's stream that is asked for nothing but its exposure time: for outputs that are handed frames by a test.
public final class StillStream: CameraStream {
    private let exposure: Int64?

    /// - Parameter exposure: nanoseconds; `nil` where the driver does not tell.
    public init(exposure: Int64? = nil) { self.exposure = exposure }

    /// None.
    public var readyDescriptor: CInt { -1 }
    /// Throws `EINVAL`.
    public func configure(
        _ format: CaptureFormat, frameRate: Double?
    ) throws(SystemCallError) -> StreamDescription {
        throw SystemCallError(call: "-", code: 22)
    }
    /// Nothing.
    public func allocate(
        _ memory: StreamMemory, count: Int
    ) throws(SystemCallError) -> [[FrameBuffer]] { [] }
    /// Does nothing, as all that follows.
    public func queue(_ slot: FrameSlot) throws(SystemCallError) {}
    /// None.
    public func dequeue() throws(SystemCallError) -> DequeuedFrame? { nil }
    /// Does nothing.
    public func start() throws(SystemCallError) {}
    /// Does nothing.
    public func pause() throws(SystemCallError) {}
    /// Does nothing.
    public func stop() {}
    /// As it was given.
    public func exposureTime() -> Int64? { exposure }
}
