// SPDX-License-Identifier: GPL-3.0-or-later

/// The path of a frame from the camera's memory to the screen. The best comes first.
public enum PreviewPath: String, Sendable, CaseIterable {
    /// The camera's own buffers are scanned out.
    case exported
    /// The camera fills buffers that another device allocated, and those are scanned out.
    case imported
    /// MJPEG is decoded straight into a scannable buffer.
    case decoded
    /// One pass converts the camera's format to a scannable one.
    case converted
    /// The format is scannable, but the pixels are copied to memory that the display can read.
    case copied
}

/// The memory in which a camera offers its frames.
public enum PreviewMemoryPath: Sendable {
    /// The display is to scan out the camera's own memory.
    case exported
    /// The display is to scan out memory that the camera only fills.
    case imported
    /// The CPU may read the frames.
    case mapped
}

/// A display for a camera's frames. The camera's thread calls it, and each call may block.
public protocol PreviewTarget: AnyObject, Sendable {
    /// Whether there is a display. If not, the camera asks the target for nothing else.
    var isAvailable: Bool { get }

    /// Whether frames of this format can be scanned out as they are.
    func canScanOut(_ pixelFormat: PixelFormat) -> Bool

    /// Allocates one frame of the target's own memory, which it can scan out and a camera can fill.
    /// Returns `nil` if the target lends no memory.
    func allocate(_ description: FrameDescription) throws -> [FrameBuffer]?

    /// Prepares to show the pool's frames, which will arrive through `frames`, instead of the
    /// previous ones. The frame on screen stays until the first new one. Throws if the display
    /// cannot show this memory.
    func connect(
        _ pool: FramePool, frames: FrameHandoff, by memoryPath: PreviewMemoryPath,
        layout: VideoLayout
    ) throws -> PreviewPath

    /// Reports that no more frames come: the stream has stopped, or never began. The target
    /// releases the connected pool, except for a picture that may stay on screen, and still draws
    /// the overlay. Returns at once.
    func suspend()

    /// Ends every lease of the connected pool. No camera memory stays in use, unless the display
    /// hangs.
    func disconnect()

    /// Shows the frame just put into `frames`, or arranges for it to be shown. Returns at once.
    func frameArrived()

    /// The pixels of the display; `nil` if there is none, or its target does not tell.
    var dimensions: Dimensions? { get }

    /// Calls `body` whenever a display comes back, or another one comes: it has nothing of what was
    /// connected before. Any thread, on which `body` must not wait. `nil` ends that for an owner.
    func observeDisplays(for owner: AnyObject, _ body: (@Sendable () -> Void)?)

    /// How long a frame usually takes from its arrival until it is seen, in nanoseconds.
    var latency: Int64 { get }
}

extension PreviewTarget {
    /// Nothing, for targets that do not tell.
    public var dimensions: Dimensions? { nil }

    /// Nothing, for targets whose display stays.
    public func observeDisplays(for owner: AnyObject, _ body: (@Sendable () -> Void)?) {}

    /// No time, for targets that do not know.
    public var latency: Int64 { 0 }
}
