// SPDX-License-Identifier: GPL-3.0-or-later

public import Display
public import Imaging
internal import Glibc
internal import LinuxIO
public import Media

/// A display in memory that scans pictures out in place and flips 60 times per second. `vitrine
/// screenshot` shows its contents.
public final class MemoryScreen: ScanoutDevice {
    /// The refresh interval in nanoseconds: 60 refreshes per second.
    public let refreshInterval: Int64 = 16_666_667

    /// The connector's name, as a kernel driver would give it.
    public let connectorName = "Virtual-1"
    /// The size in pixels, which never changes.
    public let size: Dimensions
    /// Whether overlay and video are separate layers.
    public let hasOverlay: Bool
    private let timer: TimerDescriptor
    private var flipTime: Int64 = 0
    /// The pictures on screen, kept alive as framebuffers would be.
    private var video: (any ScanoutImage)?
    private var overlay: (any ScanoutImage)?

    /// Creates a black screen. Throws if the kernel provides no timer for the flips.
    public init(size: Dimensions, hasOverlay: Bool = true) throws(DisplayError) {
        self.size = size
        self.hasOverlay = hasOverlay
        do {
            timer = try TimerDescriptor()
        } catch {
            throw DisplayError(.failed, "virtual screen", underlying: error)
        }
    }

    /// The size and the refresh rate.
    public var modeName: String { "\(size)@60" }
    /// The only size.
    public var preferredSize: Dimensions { size }
    /// The timer's descriptor, readable when an announced flip has completed.
    public var flipDescriptor: CInt { timer.number }

    /// Whether this program can draw pictures of this format in memory.
    public func canScanOut(_ format: PixelFormat) -> Bool {
        [.xrgb, .rgb565, .nv12, .yuv420, .yuv422].contains(format)
    }

    /// Wraps the buffers without a copy; throws if the format cannot be shown.
    public func importImage(
        _ description: FrameDescription, _ buffers: [FrameBuffer]
    ) throws -> any ScanoutImage {
        guard canScanOut(description.pixelFormat) else {
            throw DisplayError(.unsupported, "virtual screen: no \(description.pixelFormat)")
        }
        return MemoryImage(description, buffers)
    }

    /// Creates a picture in this process's memory; throws if the format has no layout.
    public func makeImage(
        _ format: PixelFormat, _ size: Dimensions, color: ColorDescription, _ mapping: ImageMapping
    ) throws -> any ScanoutImage {
        guard let layout = FrameDescription(format, size, color: color) else {
            throw DisplayError(.unsupported, "virtual screen: no \(format)")
        }
        return MemoryImage(layout, [try FrameBuffer.memory(layout.bufferSizes[0])])
    }

    /// Places the video anywhere at any size: the screen scales in software.
    public func placeVideo(
        _ image: any ScanoutImage, _ layout: VideoLayout
    ) throws -> LayerPlacement {
        layout.place(image.description.dimensions, on: size)
    }

    /// Shows and retains both pictures, uncopied. Throws `EBUSY` until the last commit has flipped.
    public func commit(
        video: (any ScanoutImage)?, _ placement: LayerPlacement, overlay: (any ScanoutImage)?
    ) throws {
        try beginFlip(isAnnounced: true)
        (self.video, self.overlay) = (video, overlay)
    }

    /// Shows the picture and keeps it alive; throws as ``commit(video:_:overlay:)``.
    public func flip(to video: any ScanoutImage, isAnnounced: Bool) throws -> Bool {
        if self.video == nil { return false }
        try beginFlip(isAnnounced: isAnnounced)
        self.video = video
        return true
    }

    private func beginFlip(isAnnounced: Bool) throws(SystemCallError) {
        let now = Clock.monotonic
        if now < flipTime { throw SystemCallError(call: "commit", code: EBUSY) }
        flipTime = (now / refreshInterval + 1) * refreshInterval
        if isAnnounced { try timer.arm(at: flipTime) }
    }

    /// Turns the screen black until the next commit.
    public func setActive(_ isActive: Bool) { (video, overlay) = (nil, nil) }

    /// Returns the time of the last flip; `nil` if it has not completed.
    public func readFlip() throws -> Int64? { timer.takeExpiry() ? flipTime : nil }

    /// Does nothing: the screen cannot be unplugged.
    public func checkConnection() {}

    /// Releases the pictures on screen.
    public func close() { (video, overlay) = (nil, nil) }
}

private final class MemoryImage: ScanoutImage {
    let description: FrameDescription
    let buffers: [FrameBuffer]

    init(_ description: FrameDescription, _ buffers: [FrameBuffer]) {
        self.description = description
        self.buffers = buffers
    }
}
