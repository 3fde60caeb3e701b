// SPDX-License-Identifier: GPL-3.0-or-later
// Records frames from a file into a movie as fast as the encoder takes them, for board/host/bench
// record.
//
//     movie-bench RAW WIDTH HEIGHT FRAMES MOVIE
//
// RAW holds NV12 frames, and is read again from its beginning if it is too short.

import Capture
import FoundationEssentials
import Glibc
import LinuxIO
import Media
import Recording
import TestSupport

/// Waits one millisecond for the encoder. The cost of these checks is part of the measurement.
func awaitEncoder() { usleep(1000) }

func record(
    _ raw: String, _ size: Dimensions, _ count: Int, to path: String
) async throws -> FinishedMovie {
    let color = ColorDescription(matrix: .bt601, range: .limited)
    guard let description = FrameDescription(.nv12, size, color: color) else {
        throw MovieError(.noFrames, "no such frames")
    }
    let bytes = description.bufferSizes[0]
    let source = try DurableFileReader(raw)
    let length = try FileTree.entry(raw)?.bytes ?? 0
    let pool = FramePool(
        description: description, buffers: try (0..<8).map { _ in [try FrameBuffer.memory(bytes)] },
        wake: try WakeSignal())
    let output = try MovieFileOutput()
    let interval: Int64 = 33_333_333
    output.streamDidStart(
        StreamDescription(frame: description, frameInterval: interval),
        on: CaptureConnection(output: output))
    let start = Clock.monotonic
    try output.startRecording(MovieOrder(id: UUID(), path: path, moment: start))
    var free: UInt64 = 0xff
    for number in 0..<count {
        while free == 0 {
            free = pool.takeReturned(starving: false)
            if free == 0 { awaitEncoder() }
        }
        let slot = free.trailingZeroBitCount
        free &= free - 1
        let frame = try source.read(upTo: bytes, at: number * bytes % (length / bytes * bytes))
        try unsafe pool.slots[slot].withPixels(.write) { pixels in
            unsafe frame.withUnsafeBytes { source in
                guard let address = source.baseAddress else { return }
                unsafe UnsafeMutableRawPointer(pixels.plane(0)).copyMemory(
                    from: address, byteCount: source.count)
            }
        }
        let info = FrameInfo(
            timestamp: start + Int64(number) * interval, sequence: UInt32(number), bytesUsed: 0)
        // No frame may be lost here, although frames come faster than they are compressed.
        while output.framesEncoded + output.framesDropped + 3 <= number { awaitEncoder() }
        output.receive(pool.lend(slot, info), from: StillStream())
    }
    while output.framesEncoded + output.framesDropped < count { awaitEncoder() }
    output.stopRecording()
    for await event in output.events {
        switch event {
        case .started: continue
        case .finished(let movie):
            await output.close()
            return movie
        case .failed(_, let error): throw error
        }
    }
    throw MovieError(.noFrames, "no movie")
}

let words = CommandLine.arguments
guard words.count == 6, let width = Int(words[2]), let height = Int(words[3]),
    let count = Int(words[4])
else {
    print("usage: movie-bench RAW WIDTH HEIGHT FRAMES MOVIE")
    exit(64)
}
let movie = try await record(
    words[1], Dimensions(width: width, height: height), count, to: words[5])
print("\(movie.duration / 1_000_000) ms, \(movie.bytes) bytes")
