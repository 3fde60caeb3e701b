// SPDX-License-Identifier: GPL-3.0-or-later

import Display
import Imaging
import Media
import Simulation
import Synchronization

/// A memory screen that tells what was committed last.
final class WatchedScreen: ScanoutDevice {
    /// The upper left pixel of the layers of the newest commit; `nil` for a layer that was not there.
    struct Committed: Equatable {
        var video: UInt32?
        var overlay: UInt32?
    }

    private let screen: MemoryScreen
    private let report: @Sendable (Committed) -> Void

    init(_ screen: MemoryScreen, report: @escaping @Sendable (Committed) -> Void) {
        self.screen = screen
        self.report = report
    }

    var connectorName: String { screen.connectorName }
    var modeName: String { screen.modeName }
    var size: Dimensions { screen.size }
    var flipDescriptor: CInt { screen.flipDescriptor }
    var hasOverlay: Bool { screen.hasOverlay }
    func canScanOut(_ format: PixelFormat) -> Bool { screen.canScanOut(format) }
    func importImage(
        _ description: FrameDescription, _ buffers: [FrameBuffer]
    ) throws -> any ScanoutImage {
        try screen.importImage(description, buffers)
    }
    func makeImage(
        _ format: PixelFormat, _ size: Dimensions, color: ColorDescription, for writer: ImageWriter
    ) throws -> any ScanoutImage {
        try screen.makeImage(format, size, color: color, for: writer)
    }
    func placeVideo(
        _ image: any ScanoutImage, _ layout: VideoLayout
    ) throws -> LayerPlacement {
        try screen.placeVideo(image, layout)
    }
    func commit(
        video: (any ScanoutImage)?, _ placement: LayerPlacement, overlay: (any ScanoutImage)?
    ) throws {
        report(Committed(video: try video.map(firstPixel), overlay: try overlay.map(firstPixel)))
        try screen.commit(video: video, placement, overlay: overlay)
    }
    func readFlip() throws -> Int64? { try screen.readFlip() }
    func close() { screen.close() }

    private func firstPixel(_ image: any ScanoutImage) throws -> UInt32 {
        try unsafe image.buffers[0].withBytes(.read) { unsafe $0.loadUnaligned(as: UInt32.self) }
    }
}
