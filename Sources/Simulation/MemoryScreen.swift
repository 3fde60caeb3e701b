// SPDX-License-Identifier: GPL-3.0-or-later

public import Display
public import Imaging
internal import Glibc
internal import LinuxIO
public import Media

/// A display that is only memory: pictures are "scanned out" where they lie, flips come with a
/// refresh of 60 a second. What it shows is seen by `vitrine screenshot`.
public final class MemoryScreen: ScanoutDevice {
    /// Sixty times a second.
    public let refreshInterval: Int64 = 16_666_667

    /// As a kernel driver would name it.
    public let connectorName = "Virtual-1"
    /// In pixels, never changing.
    public let size: Dimensions
    /// Whether overlay and video are two layers, as asked for.
    public let hasOverlay: Bool
    private let timer: TimerDescriptor
    private var flipTime: Int64 = 0
    /// What is scanned out: kept alive as framebuffers would be.
    private var video: (any ScanoutImage)?
    private var overlay: (any ScanoutImage)?

    /// Throws when the kernel gives no timer for the flips.
    public init(size: Dimensions, hasOverlay: Bool = true) throws(DisplayError) {
        self.size = size
        self.hasOverlay = hasOverlay
        do {
            timer = try TimerDescriptor()
        } catch {
            throw DisplayError(.failed, "virtual screen", underlying: error)
        }
    }

    /// Its size, and the 60 pictures a second at which it flips.
    public var modeName: String { "\(size)@60" }
    /// Its only size.
    public var preferredSize: Dimensions { size }
    /// The timer, readable 60 times a second.
    public var flipDescriptor: CInt { timer.number }

    /// What this program can draw into memory for it.
    public func canScanOut(_ format: PixelFormat) -> Bool {
        [.xrgb, .rgb565, .nv12, .yuv420, .yuv422].contains(format)
    }

    /// Maps the buffers for reading; throws when they cannot be.
    public func importImage(
        _ description: FrameDescription, _ buffers: [FrameBuffer]
    ) throws -> any ScanoutImage {
        guard canScanOut(description.pixelFormat) else {
            throw DisplayError(.unsupported, "virtual screen: no \(description.pixelFormat)")
        }
        return MemoryImage(description, buffers)
    }

    /// In memory of this process.
    public func makeImage(
        _ format: PixelFormat, _ size: Dimensions, color: ColorDescription, _ mapping: ImageMapping
    ) throws -> any ScanoutImage {
        guard let layout = FrameDescription(format, size, color: color) else {
            throw DisplayError(.unsupported, "virtual screen: no \(format)")
        }
        return MemoryImage(layout, [try FrameBuffer.memory(layout.bufferSizes[0])])
    }

    /// Any place and size: it scales in software.
    public func placeVideo(
        _ image: any ScanoutImage, _ layout: VideoLayout
    ) throws -> LayerPlacement {
        layout.place(image.description.dimensions, on: size)
    }

    /// Keeps both as long as they are shown; nothing is copied.
    ///
    /// - Throws: `EBUSY` before the flip of the last commit.
    public func commit(
        video: (any ScanoutImage)?, _ placement: LayerPlacement, overlay: (any ScanoutImage)?
    ) throws {
        try beginFlip(isAnnounced: true)
        (self.video, self.overlay) = (video, overlay)
    }

    /// Keeps the picture as long as it is shown; throws as ``commit(video:_:overlay:)``.
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

    /// Off and on again: black until the next commit.
    public func setActive(_ isActive: Bool) { (video, overlay) = (nil, nil) }

    /// When the last commit was "shown"; `nil` before its time.
    public func readFlip() throws -> Int64? { timer.takeExpiry() ? flipTime : nil }

    /// It cannot be unplugged.
    public func checkConnection() {}

    /// Gives back what it shows.
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
