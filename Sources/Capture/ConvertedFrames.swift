// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Media
internal import V4L2

/// The converted frames of a camera that delivers H.264, or a format that only libv4lconvert reads.
/// The camera's thread converts each frame into a picture in our own memory, so that the driver
/// gets its buffer back at once. A raw frame's buffer stays with its picture instead, because a
/// photo may need it.
final class ConvertedFrames {
    private let device: VideoDevice
    private let format: ForeignFormat
    private let converter: any FrameConverter
    private var driverBuffers: [[FrameBuffer]] = []
    /// A raw frame for each driver buffer; empty unless raw frames stay with their pictures.
    private var raws: [RawFrame] = []
    /// Driver buffers that may stay with pictures: enough for the photo ring and pending photos.
    /// More would take memory from others.
    private static let mostKept = 5
    private var pictures: [FrameBuffer] = []
    /// One bit for each picture that may be written.
    private var free: UInt64 = 0
    /// The driver buffer that stays with each picture.
    private var kept: [Int: Int] = [:]
    /// Whether the driver streams. ``start()`` gives it its first buffers: all that are not kept.
    private var isStreaming = false

    init(_ device: VideoDevice, _ format: ForeignFormat) throws(SystemCallError) {
        self.device = device
        self.format = format
        converter =
            format.pixelFormat == .h264
            ? try DecodedH264(format) : try ForeignFrameConverter(device, format)
    }

    var description: FrameDescription { converter.description }

    /// - Throws: `EOPNOTSUPP` for memory other than `mapped`.
    func allocate(
        _ memory: StreamMemory, count: Int
    ) throws(SystemCallError) -> [[FrameBuffer]] {
        guard case .mapped = memory else {
            throw SystemCallError(call: ForeignFormat.library, code: EOPNOTSUPP, path: device.path)
        }
        driverBuffers = []
        kept = [:]
        isStreaming = false
        let rawFormat = converter.rawFormat
        let more = rawFormat == nil ? 0 : min(count, Self.mostKept)
        for index in 0..<(try device.requestBuffers(converter.driverFrames + more, .mmap)) {
            driverBuffers.append(try device.mapBuffer(index))
        }
        raws =
            rawFormat.map { rawFormat in
                driverBuffers.map {
                    RawFrame(
                        format: rawFormat, dimensions: format.dimensions,
                        bytesPerRow: format.bytesPerRow, buffer: $0[0])
                }
            } ?? []
        pictures = []
        for _ in 0..<count {
            pictures.append(try FrameBuffer.memory(description.bufferSizes[0]))
        }
        free = 0
        return pictures.map { [$0] }
    }

    func queue(_ index: Int) throws(SystemCallError) {
        free |= 1 << UInt64(index)
        guard let raw = kept.removeValue(forKey: index), isStreaming else { return }
        try device.queue(raw, driverBuffers[raw])
    }

    func start() throws(SystemCallError) {
        let lent = Set(kept.values)
        for (index, buffers) in driverBuffers.enumerated() where !lent.contains(index) {
            try device.queue(index, buffers)
        }
        try device.streamOn()
        isStreaming = true
    }

    func pause() throws(SystemCallError) {
        isStreaming = false
        try device.streamOff()
        converter.reset()
        free = 0
    }

    /// Returns the next frame, converted; `nil` if there is none, or no picture is free.
    func dequeue() throws(SystemCallError) -> DequeuedFrame? {
        guard let raw = try device.dequeue() else { return nil }
        let index = free.trailingZeroBitCount
        let picture = index < pictures.count ? pictures[index] : nil
        let converted = convert(raw, into: picture)
        var frame: DequeuedFrame?
        if picture != nil {
            free &= free - 1
            var info = raw.info
            info.bytesUsed = description.bufferSizes[0]
            frame = DequeuedFrame(index: index, info: info, isDamaged: converted.isDamaged)
            frame?.coded = converted.coded
            frame?.isUnshowable = converted.isUnshowable
            frame?.raw = converted.isDamaged ? nil : keep(raw, with: index)
        }
        if frame?.raw == nil { try device.queue(raw.index, driverBuffers[raw.index]) }
        return frame
    }

    /// Keeps the driver's buffer with its picture if the driver has enough others to fill.
    private func keep(_ raw: DequeuedFrame, with picture: Int) -> RawFrame? {
        guard !raws.isEmpty, driverBuffers.count - kept.count > converter.driverFrames / 2
        else { return nil }
        kept[picture] = raw.index
        return raws[raw.index]
    }

    private func convert(_ raw: DequeuedFrame, into picture: FrameBuffer?) -> ConvertedPicture {
        let source = driverBuffers[raw.index][0]
        let count = min(raw.info.bytesUsed, source.size)
        let converted = try? unsafe source.withBytes(.read) { from in
            let bytes = unsafe UnsafeMutableRawBufferPointer(start: from, count: count)
            guard let picture else { return unsafe converter.convert(bytes, raw, into: nil) }
            return try unsafe picture.withBytes(.write) { to in
                unsafe converter.convert(bytes, raw, into: to)
            }
        }
        return converted ?? ConvertedPicture(isDamaged: true)
    }
}
