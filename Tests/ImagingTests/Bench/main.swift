// SPDX-License-Identifier: GPL-3.0-or-later
// Encodes one picture again and again, for board/host/bench jpeg.
//
//     jpeg-bench RAW XR24|YU12|YUYV|NV12 WIDTH HEIGHT QUALITY SECONDS
//
// Prints millions of pixels per second, and the JPEG's size in bytes.

import Glibc
import Imaging
import LinuxIO
import Media

/// Returns the raw file's picture in its own memory.
func picture(_ path: String, _ description: FrameDescription) throws -> FramePool {
    let bytes = description.bufferSizes[0]
    let pool = FramePool(
        description: description, buffers: [[try FrameBuffer.memory(bytes)]], wake: try WakeSignal()
    )
    let content = try DurableFileReader(path).read(upTo: bytes)
    guard content.count == bytes else {
        print("\(path): \(content.count) bytes, not \(bytes)")
        exit(66)
    }
    try unsafe pool.slots[0].withPixels(.write) { pixels in
        unsafe content.withUnsafeBytes { source in
            guard let address = source.baseAddress else { return }
            unsafe UnsafeMutableRawPointer(pixels.plane(0)).copyMemory(
                from: address, byteCount: source.count)
        }
    }
    return pool
}

/// - Returns: The nanoseconds per picture, and the JPEG's size in bytes.
func measure(
    _ pool: FramePool, quality: Int, seconds: Double
) throws -> (nanoseconds: Double, bytes: Int) {
    let encoder = try JPEGEncoder()
    return try unsafe pool.slots[0].withPixels(.read) { pixels in
        var (bytes, count) = (0, -3)
        // The first three pictures allocate memory, and are not counted.
        var (start, now) = (Clock.monotonic, Clock.monotonic)
        while now < start + Int64(seconds * 1e9) {
            bytes = try unsafe encoder.withEncoded(pixels, quality: quality) { $0.count }
            count += 1
            now = Clock.monotonic
            if count <= 0 { start = now }
        }
        return (Double(now - start) / Double(count), bytes)
    }
}

let words = CommandLine.arguments
let formats: [String: PixelFormat] = ["XR24": .xrgb, "YU12": .yuv420, "YUYV": .yuyv, "NV12": .nv12]
guard words.count == 7, let format = formats[words[2]], let width = Int(words[3]),
    let height = Int(words[4]), let quality = Int(words[5]), let seconds = Double(words[6]),
    let description = FrameDescription(
        format, Dimensions(width: width, height: height), color: .jpeg)
else {
    print("usage: jpeg-bench RAW XR24|YU12|YUYV|NV12 WIDTH HEIGHT QUALITY SECONDS")
    exit(64)
}
let one = try measure(try picture(words[1], description), quality: quality, seconds: seconds)
print("\(Double(width * height) * 1000 / one.nanoseconds) \(one.bytes)")
