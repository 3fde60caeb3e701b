// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO
public import Media

/// A hardware decoder whose pictures lie in memory that a display can scan out: a stateful
/// memory-to-memory device. One thread at a time may use it. Kernel documentation:
/// userspace-api/media/v4l/dev-decoder.
public final class DecoderDevice {
    /// The answers of ``DecoderDevice/receive()``.
    public enum Output: Sendable {
        /// A picture: its slot in the present ``pool``, and the tag of its data.
        case picture(Int, tag: Int)
        /// Nothing before it has more data.
        case needsData
        /// Nothing more: all pictures of a stream that has ended have come.
        case end
    }

    /// The device's description.
    public let description: CodecDescription
    /// The memory of the pictures; `nil` before the first one. Another size makes another pool.
    /// Lend a slot at once when its picture comes; the device fills it anew when the lease ends.
    public private(set) var pool: FramePool?

    private enum Stage {
        /// The device has not told yet how large the pictures are.
        case unprepared
        case decoding
        /// The last picture before an end or before pictures of another size has come.
        case stopped
    }

    private var stage = Stage.unprepared
    /// Whether the device has told that the pictures change.
    private var isChanging = false
    /// Whether no more data comes, and whether the device knows.
    private var (isEnded, isDraining) = (false, false)
    private var hasData = false
    /// The queues for data (V4L2's OUTPUT) and for pictures (its CAPTURE).
    private let source: VideoDevice
    private let sink: VideoDevice
    /// Waits for the device, and for a lease's end alone.
    private let poller: Poller
    private let returns: Poller
    private let wake: WakeSignal
    private let dataBuffers: [FrameBuffer]
    private var freeBuffers: [Int]
    /// The slots whose pictures are in use, one bit each.
    private var lent: UInt64 = 0
    private let color: ColorDescription
    private let pictureCount: Int

    /// The longest time that the device may need for something, in nanoseconds.
    private static let patience: Int64 = 5_000_000_000
    private static let dataBufferCount = 4
    /// The formats of pictures that are useful, the best first.
    private static let formats: [PixelFormat] = [.nv12, .yuv420, .nv12Separate]

    /// Opens the device, which then waits for data.
    /// - Parameters:
    ///   - format: The format of the data.
    ///   - size: The size of the pictures as far as it is known.
    ///   - color: The colours of the pictures.
    ///   - pictureCount: How many pictures are in use at a time, besides those that the device
    ///     needs itself.
    /// - Throws: `EINVAL` if the device does not decode the format, or does not tell the size of
    ///   pictures; `EBUSY`.
    public init(
        _ description: CodecDescription, _ format: PixelFormat, _ size: Dimensions,
        color: ColorDescription, pictureCount: Int
    ) throws(SystemCallError) {
        (self.description, self.color, self.pictureCount) = (description, color, pictureCount)
        (source, sink) = try description.open()
        let agreed = try source.setPicture(
            format, size, bytes: max(size.pixels * 3 / 4, 1 << 20))
        guard agreed.pixelformat == format.fourCC else {
            throw SystemCallError(call: "VIDIOC_S_FMT", code: EINVAL, path: description.path)
        }
        try source.subscribeToSourceChanges()
        var buffers: [FrameBuffer] = []
        for index in 0..<(try source.requestBuffers(Self.dataBufferCount, .mmap)) {
            buffers += try source.mapBuffer(index).prefix(1)
        }
        (dataBuffers, freeBuffers) = (buffers, Array(buffers.indices))
        wake = try WakeSignal()
        returns = try Poller.watching(wake)
        poller = try Poller()
        try poller.add(source.number, tag: 0, for: [.readable, .writable, .priority])
        try poller.add(wake, tag: 1)
        try source.streamOn()
    }

    // MARK: data

    /// Gives the device the data of one picture after ``Output/needsData``.
    /// - Parameter tag: The number that comes back with the picture, at least 0.
    /// - Throws: `EMSGSIZE` if the data is larger than the device's buffers.
    @unsafe
    public func send(_ data: UnsafeRawBufferPointer, tag: Int) throws(SystemCallError) {
        guard let index = freeBuffers.popLast(), let start = unsafe data.baseAddress,
            data.count <= dataBuffers[index].size
        else {
            throw SystemCallError(call: "VIDIOC_QBUF", code: EMSGSIZE, path: description.path)
        }
        // Buffers that are mapped for good can always be written.
        try? unsafe dataBuffers[index].withBytes(.write) { room in
            unsafe room.copyMemory(from: start, byteCount: data.count)
        }
        // Drivers copy the time to the picture, and do not look at it. Seconds survive all of them.
        try source.queue(index, bytes: data.count, time: Int64(tag) * 1_000_000_000)
        hasData = true
    }

    /// Tells the device that no more data comes before ``flush()``.
    public func end() { isEnded = true }

    /// Forgets all data and all pictures that have not come. The next data must be a key frame.
    public func flush() throws(SystemCallError) {
        try source.streamOff()
        freeBuffers = Array(dataBuffers.indices)
        if pool != nil { try sink.streamOff() }
        _ = try source.takeSourceChanges()
        (isEnded, isDraining, hasData) = (false, false, false)
        // The pictures may have changed already.
        (stage, isChanging) = (.unprepared, pool != nil)
        try source.streamOn()
    }

    // MARK: pictures

    /// Returns the next picture in the order of presentation, and waits for it if the device has no
    /// room for more data.
    /// - Throws: `ETIMEDOUT` if the device does nothing for five seconds; `EINVAL` for pictures of
    ///   a format that Vitrine does not use; `ENODEV`. The device is unusable then.
    public func receive() throws(SystemCallError) -> Output {
        let deadline = Clock.monotonic + Self.patience
        while true {
            if try source.takeSourceChanges() {
                // Some drivers tell the size again that they have told.
                let present = try layout()
                isChanging = stage == .unprepared || present != pool?.description
            }
            if stage != .decoding, isChanging { try prepare() }
            try refill()
            switch stage {
            case .unprepared:
                if isEnded, !hasData { return .end }
            case .decoding:
                if isEnded, !isDraining {
                    try sink.request("VIDIOC_DECODER_CMD") { cv4l2_stop_decoder($0) }
                    isDraining = true
                }
                if let picture = try takePicture() { return picture }
                // The news of a change may have come before the last picture.
                if stage == .stopped { continue }
            case .stopped:
                if isDraining { return .end }
                try prepare()
                continue
            }
            while let buffer = try source.dequeueBuffer() { freeBuffers.append(Int(buffer.index)) }
            if !isEnded, !freeBuffers.isEmpty { return .needsData }
            try wait(until: deadline)
        }
    }

    private func wait(until deadline: Int64) throws(SystemCallError) {
        let left = Int32(clamping: (deadline - Clock.monotonic) / 1_000_000)
        // A device without any buffer reports an error.
        let isEmpty = pool.map { lent.nonzeroBitCount == $0.slots.count } ?? false
        guard left > 0,
            let event = isEmpty ? returns.wait(milliseconds: left) : poller.wait(milliseconds: left)
        else {
            throw SystemCallError(call: "VIDIOC_DQBUF", code: ETIMEDOUT, path: description.path)
        }
        if event.readiness.contains(.error) || event.readiness.contains(.hangup) {
            throw SystemCallError(call: "VIDIOC_DQBUF", code: ENODEV, path: description.path)
        }
    }

    /// Takes the next picture from the device; `nil` if there is none.
    private func takePicture() throws(SystemCallError) -> Output? {
        while let buffer = try sink.dequeueBuffer() {
            let index = Int(buffer.index)
            if buffer.flags & cv4l2_flag_last != 0 { stage = .stopped }
            let isPicture = buffer.bytesused.0 > 0 && buffer.flags & cv4l2_flag_error == 0
            if isPicture {
                lent |= 1 << UInt64(index)
                return .picture(index, tag: Int(buffer.timestamp_ns / 1_000_000_000))
            }
            if stage == .stopped { return nil }
            if let pool { try fill(pool.slots[index]) }
        }
        return nil
    }

    /// Gives the device the pictures that nobody uses any more.
    private func refill() throws(SystemCallError) {
        guard let pool, stage == .decoding else { return }
        let returned = pool.takeReturned(starving: true)
        lent &= ~returned
        for slot in pool.slots where returned & 1 << UInt64(slot.index) != 0 { try fill(slot) }
    }

    private func fill(_ slot: FrameSlot) throws(SystemCallError) {
        try sink.queue(slot.index, slot.buffers)
    }

    // MARK: memory

    /// Makes the device ready for pictures of the size that it has told.
    private func prepare() throws(SystemCallError) {
        isChanging = false
        if stage == .stopped { try sink.streamOff() }
        if let pool, pool.description == (try layout()) {
            lent &= ~pool.takeReturned(starving: true)
        } else {
            if pool != nil { try sink.requestBuffers(0, .mmap) }
            try chooseFormat()
            guard let layout = try layout() else {
                throw SystemCallError(call: "VIDIOC_G_FMT", code: EINVAL, path: sink.path)
            }
            (pool, lent) = (try makePool(layout), 0)
        }
        for slot in pool?.slots ?? [] where lent & 1 << UInt64(slot.index) == 0 { try fill(slot) }
        try sink.streamOn()
        stage = .decoding
    }

    private func chooseFormat() throws(SystemCallError) {
        let (picture, offered) = (try sink.picture(), try sink.pixelFormats())
        let format = Self.formats.first { offered.contains($0) }
        guard let format, picture.pixelformat != format.fourCC else { return }
        let size = Dimensions(width: Int(picture.width), height: Int(picture.height))
        _ = try sink.setPicture(format, size)
    }

    /// Returns the present layout of pictures; `nil` for one that is of no use.
    private func layout() throws(SystemCallError) -> FrameDescription? {
        let picture = try sink.picture()
        guard picture.planes <= 3, var layout = FrameDescription(picture),
            Self.formats.contains(layout.pixelFormat)
        else { return nil }
        sink.memoryPlanes = max(picture.planes, 1)
        // Hardware decodes whole blocks; the rows below the picture are not seen.
        var seen = cv4l2_rectangle()
        if unsafe cv4l2_g_compose(sink.number, &seen) == 0 {
            let size = Dimensions(width: Int(seen.width), height: Int(seen.height))
            guard seen.left == 0, seen.top == 0, size.pixels > 0,
                size.width <= layout.dimensions.width, size.height <= layout.dimensions.height
            else { return nil }
            layout.dimensions = size
        }
        layout.color = color
        return layout
    }

    private func makePool(_ layout: FrameDescription) throws(SystemCallError) -> FramePool {
        let own = (try? sink.value(ofControl: VideoControl.Identifier.minimumBuffers)) ?? 1
        let count = min(Int(own) + pictureCount, 32)
        var buffers: [[FrameBuffer]] = []
        for index in 0..<(try sink.requestBuffers(count, .mmap)) {
            buffers.append(try sink.exportBuffer(index, keepsMapping: true))
        }
        return FramePool(description: layout, buffers: buffers, wake: wake)
    }
}

extension VideoControl.Identifier {
    fileprivate static let minimumBuffers = cv4l2_min_buffers_for_capture
}
