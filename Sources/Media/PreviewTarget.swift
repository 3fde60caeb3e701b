// SPDX-License-Identifier: GPL-3.0-or-later

/// How a frame gets from the camera's memory to the screen; the first is the best.
public enum PreviewPath: String, Sendable, CaseIterable {
    /// The camera's own buffers are scanned out.
    case exported
    /// The camera fills buffers that somebody else allocated, and those are scanned out.
    case imported
    /// MJPEG is decoded straight into a scannable buffer.
    case decoded
    /// One pass turns the camera's format into a scannable one.
    case converted
    /// Same format, but the pixels had to be copied to where the display can read them.
    case copied
}

/// One way of showing a pool's frames, as the camera offers it.
public enum PreviewRung: Sendable {
    /// The camera's own memory is to be scanned out.
    case exported
    /// Memory that the camera only fills is to be scanned out.
    case imported
    /// The CPU may read the frames.
    case mapped
}

/// What shows a camera's frames. Called on the camera's thread, where each call may block.
public protocol PreviewTarget: AnyObject, Sendable {
    /// Whether there is a display at all: one that is not there is not asked for anything else.
    var isAvailable: Bool { get }

    /// Whether frames of this format can be scanned out as they are.
    func canScanOut(_ pixelFormat: PixelFormat) -> Bool

    /// Memory of its own for one frame, which it can scan out and a camera may write to; `nil` when it
    /// lends none.
    func allocate(_ description: FrameDescription) throws -> [FrameBuffer]?

    /// Gets ready to show the pool's frames, which will come through `frames`, in place of what came
    /// before. Frames already on screen stay until the first new one.
    ///
    /// - Parameter orientation: how they are turned, and mirrored after that, on the way to the screen.
    /// - Throws: when it cannot show frames from this memory in this way.
    func connect(
        _ pool: FramePool, frames: NewestFrame, by rung: PreviewRung, orientation: ExifOrientation
    ) throws -> PreviewPath

    /// No frames come any more: the stream has stopped, or never began. The connected pool is let go,
    /// but for the picture that may stay on screen; what lies above it goes on being drawn. Returns at
    /// once.
    func suspend()

    /// Ends every lease of the connected pool: nothing of the camera's memory stays in use, unless the
    /// display hangs.
    func disconnect()

    /// A frame was put into `frames`: shows it, or sees to it that it will be. Returns at once.
    func frameArrived()
}
