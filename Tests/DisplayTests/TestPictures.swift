// SPDX-License-Identifier: GPL-3.0-or-later

import Display
import Imaging
import LinuxIO
import Media
import Synchronization
import Testing

/// Returns a pool of uncompressed pictures.
func pool(_ format: PixelFormat, _ size: Dimensions, count: Int = 6) throws -> FramePool {
    let description = try #require(FrameDescription(format, size, color: .jpeg))
    let buffers = try (0..<count).map { _ in
        [try FrameBuffer.memory(description.bufferSizes[0])]
    }
    return FramePool(description: description, buffers: buffers, wake: try WakeSignal())
}

/// Returns a pool for compressed pictures.
func compressedPool(_ size: Dimensions, count: Int = 6) throws -> FramePool {
    let room = 64 * 1024
    let description = FrameDescription(
        pixelFormat: .mjpeg, dimensions: size,
        planes: [PlaneLayout(offset: 0, bytesPerRow: 0, rows: 0)], bufferSizes: [room],
        color: .jpeg)
    let buffers = try (0..<count).map { _ in [try FrameBuffer.memory(room)] }
    return FramePool(description: description, buffers: buffers, wake: try WakeSignal())
}

/// Sets all bytes of a slot.
func paint(_ pool: FramePool, _ index: Int, _ value: UInt8) throws {
    try unsafe pool.slots[index].withPixels(.write) { pixels in
        let plane = unsafe pixels.plane(0)
        for offset in 0..<pool.description.bufferSizes[0] { unsafe plane[offset] = value }
    }
}

func put(_ pool: FramePool, _ index: Int, into frames: FrameHandoff, bytesUsed: Int = 0) {
    let now = Clock.monotonic
    frames.put(
        pool.lend(index, FrameInfo(timestamp: now, sequence: UInt32(index), bytesUsed: bytesUsed)))
}

/// Puts a frame that is a JPEG picture (4:2:0) of one grey level.
func putJPEG(
    _ pool: FramePool, _ index: Int, _ size: Dimensions, _ value: UInt8, into frames: FrameHandoff
) throws {
    var picture = try PixelStorage(.yuv420, size, color: .jpeg)
    let bytes = try unsafe picture.withMutablePixels { pixels in
        let luma = unsafe pixels.plane(0)
        for offset in unsafe 0..<pixels.bytesPerRow(0) * size.height {
            unsafe luma[offset] = value
        }
        for plane in 1...2 {
            let chroma = unsafe pixels.plane(plane)
            for offset in unsafe 0..<pixels.bytesPerRow(plane) * (size.height / 2) {
                unsafe chroma[offset] = 128
            }
        }
        return try unsafe JPEGEncoder().encode(pixels, quality: 95)
    }
    try unsafe pool.slots[index].withPixels(.write) { pixels in
        let target = unsafe pixels.plane(0)
        for (offset, byte) in bytes.enumerated() { unsafe target[offset] = byte }
    }
    put(pool, index, into: frames, bytesUsed: bytes.count)
}

/// Returns an opaque overlay of one colour.
func plain(_ color: UInt32, _ size: Dimensions) throws -> OverlayPicture {
    var picture = try PixelStorage(.argb, size, color: .jpeg)
    unsafe picture.withMutablePixels { pixels in
        for y in 0..<size.height {
            let row = unsafe UnsafeMutableRawPointer(pixels.plane(0) + y * pixels.bytesPerRow(0))
            for x in 0..<size.width {
                unsafe row.storeBytes(
                    of: 0xff00_0000 | color, toByteOffset: x * 4, as: UInt32.self)
            }
        }
    }
    return unsafe picture.withPixels { unsafe OverlayPicture(copying: $0) }
}

/// Sets the overlay, and returns once the display's thread has it. A frame that the thread took
/// before shows the old overlay until the next frame, if there is no overlay plane.
func setOverlay(_ overlay: OverlayPicture?, on screen: Screen) {
    screen.setOverlay(overlay)
    _ = screen.canScanOut(.xrgb)
}

/// Returns the colour of a pixel that a person sees.
func color(_ screen: Screen, x: Int, y: Int) async throws -> UInt32 {
    try await unsafe screen.snapshot().withPixels { pixels in
        let row = unsafe pixels.plane(0) + y * pixels.bytesPerRow(0) + x * 4
        return unsafe UInt32(row[0]) | UInt32(row[1]) << 8 | UInt32(row[2]) << 16
    }
}
