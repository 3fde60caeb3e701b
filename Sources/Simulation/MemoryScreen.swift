// SPDX-License-Identifier: GPL-3.0-or-later

public import Display
public import Imaging
internal import LinuxIO
public import Media

/// A display that is only memory: pictures are "scanned out" where they lie, flips come with a
/// refresh of 60 a second. What it shows is seen by `vitrine screenshot`.
public final class MemoryScreen: ScanoutDevice {
    private static let refreshNanoseconds: Int64 = 16_666_667

    public let connectorName = "Virtual-1"
    public let size: Dimensions
    public let hasOverlay: Bool
    private let timer: TimerDescriptor
    private var flipTime: Int64 = 0
    /// What is scanned out: kept alive as a framebuffer would be.
    private var onScreen: [any ScanoutImage] = []

    public init(size: Dimensions, hasOverlay: Bool = true) throws(DisplayError) {
        self.size = size
        self.hasOverlay = hasOverlay
        do {
            timer = try TimerDescriptor()
        } catch {
            throw DisplayError(.failed, "virtual screen", underlying: error)
        }
    }

    public var modeName: String { "\(size)@60" }
    public var preferredSize: Dimensions { size }
    public var flipDescriptor: CInt { timer.number }

    public func canScanOut(_ format: PixelFormat) -> Bool {
        [.xrgb, .rgb565, .nv12, .yuv420, .yuv422].contains(format)
    }

    public func importImage(
        _ description: FrameDescription, _ buffers: [FrameBuffer]
    ) throws -> any ScanoutImage {
        guard canScanOut(description.pixelFormat) else {
            throw DisplayError(.unsupported, "virtual screen: no \(description.pixelFormat)")
        }
        return MemoryImage(description, buffers)
    }

    public func makeImage(
        _ format: PixelFormat, _ size: Dimensions, color: ColorDescription, _ mapping: ImageMapping
    ) throws -> any ScanoutImage {
        guard let layout = FrameDescription(format, size, color: color) else {
            throw DisplayError(.unsupported, "virtual screen: no \(format)")
        }
        return MemoryImage(layout, [try FrameBuffer.memory(layout.bufferSizes[0])])
    }

    public func placeVideo(
        _ image: any ScanoutImage, _ layout: VideoLayout
    ) throws -> LayerPlacement {
        layout.place(image.description.dimensions, on: size)
    }

    public func commit(
        video: (any ScanoutImage)?, _ placement: LayerPlacement, overlay: (any ScanoutImage)?
    ) throws {
        onScreen.removeAll(keepingCapacity: true)
        if let video { onScreen.append(video) }
        if let overlay { onScreen.append(overlay) }
        let now = Clock.monotonic
        flipTime = (now / Self.refreshNanoseconds + 1) * Self.refreshNanoseconds
        try timer.arm(at: flipTime)
    }

    public func setActive(_ isActive: Bool) { onScreen.removeAll() }

    public func readFlip() throws -> Int64? { timer.takeExpiry() ? flipTime : nil }

    public func checkConnection() {}

    public func close() { onScreen.removeAll() }
}

private final class MemoryImage: ScanoutImage {
    let description: FrameDescription
    let buffers: [FrameBuffer]

    init(_ description: FrameDescription, _ buffers: [FrameBuffer]) {
        self.description = description
        self.buffers = buffers
    }
}
