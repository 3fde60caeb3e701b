// SPDX-License-Identifier: GPL-3.0-or-later
internal import CV4L2
internal import Glibc
public import LinuxIO
public import Media

/// The owner of the frames' memory.
public enum VideoMemory: Sendable {
    /// The driver (`V4L2_MEMORY_MMAP`).
    case mmap
    /// Another owner of DMA-BUFs (`V4L2_MEMORY_DMABUF`).
    case dmaBuf
}

extension VideoDevice {
    /// Requests buffers and returns the number granted; 0 frees them (`VIDIOC_REQBUFS`).
    @discardableResult
    public func requestBuffers(_ count: Int, _ memory: VideoMemory) throws(SystemCallError) -> Int {
        self.memory = memory == .mmap ? cv4l2_memory_mmap : cv4l2_memory_dmabuf
        var granted = UInt32(count)
        try request("VIDIOC_REQBUFS") {
            unsafe cv4l2_reqbufs($0, bufferType, self.memory, &granted)
        }
        return Int(granted)
    }

    /// Returns the size and mapping offset of each memory plane. Corresponds to `VIDIOC_QUERYBUF`.
    private func queryBuffer(_ index: Int) throws(SystemCallError) -> cv4l2_buffer {
        var raw = cv4l2_buffer()
        try request("VIDIOC_QUERYBUF") {
            unsafe cv4l2_querybuf($0, bufferType, memory, UInt32(index), memoryPlanes, &raw)
        }
        return raw
    }

    /// Exports the driver's buffer `index` as one DMA-BUF per memory plane (`VIDIOC_EXPBUF`).
    public func exportBuffer(
        _ index: Int, keepsMapping: Bool
    ) throws(SystemCallError) -> [FrameBuffer] {
        let lengths = try queryBuffer(index).length
        var buffers: [FrameBuffer] = []
        for plane in 0..<Int(memoryPlanes) {
            let number = try request("VIDIOC_EXPBUF") {
                cv4l2_expbuf($0, bufferType, UInt32(index), UInt32(plane))
            }
            buffers.append(
                try FrameBuffer(
                    dmaBuf: OwnedDescriptor(adopting: number),
                    size: Int([lengths.0, lengths.1, lengths.2][plane]), keepsMapping: keepsMapping)
            )
        }
        return buffers
    }

    /// Maps the driver's buffer `index` into this process, for drivers that cannot export.
    public func mapBuffer(_ index: Int) throws(SystemCallError) -> [FrameBuffer] {
        let raw = try queryBuffer(index)
        let lengths = [raw.length.0, raw.length.1, raw.length.2]
        let offsets = [raw.mem_offset.0, raw.mem_offset.1, raw.mem_offset.2]
        var buffers: [FrameBuffer] = []
        for plane in 0..<Int(memoryPlanes) {
            let mapping = try Mapping(
                of: number, count: Int(lengths[plane]), offset: Int(offsets[plane]))
            buffers.append(FrameBuffer(mapping: mapping))
        }
        return buffers
    }

    /// Gives the driver a buffer to fill: with `VideoMemory.dmaBuf`, the memory in `buffers`.
    /// Corresponds to `VIDIOC_QBUF`.
    public func queue(_ index: Int, _ buffers: [FrameBuffer]) throws(SystemCallError) {
        try queue(index, buffers, time: 0)
    }

    /// Gives the driver a buffer to fill or to read. A picture to read has its `time` in
    /// nanoseconds; a buffer to fill has 0.
    func queue(_ index: Int, _ buffers: [FrameBuffer], time: Int64) throws(SystemCallError) {
        var raw = cv4l2_buffer()
        raw.index = UInt32(index)
        raw.planes = memoryPlanes
        raw.timestamp_ns = time
        if memory == cv4l2_memory_dmabuf {
            raw.fd.0 = buffers[0].dmaBuf ?? -1
            raw.length.0 = UInt32(buffers[0].size)
            if buffers.count > 1 {
                raw.fd.1 = buffers[1].dmaBuf ?? -1
                raw.length.1 = UInt32(buffers[1].size)
            }
            if buffers.count > 2 {
                raw.fd.2 = buffers[2].dmaBuf ?? -1
                raw.length.2 = UInt32(buffers[2].size)
            }
            // The picture fills the whole buffer. A driver that fills it itself ignores this.
            raw.bytesused = raw.length
        }
        try request("VIDIOC_QBUF") { unsafe cv4l2_qbuf($0, bufferType, memory, &raw) }
    }

    /// Gives the driver compressed data: the first `bytes` of a buffer of ``mapBuffer(_:)``.
    func queue(_ index: Int, bytes: Int, time: Int64) throws(SystemCallError) {
        var raw = cv4l2_buffer()
        raw.index = UInt32(index)
        raw.planes = memoryPlanes
        raw.timestamp_ns = time
        raw.bytesused.0 = UInt32(bytes)
        try request("VIDIOC_QBUF") { unsafe cv4l2_qbuf($0, bufferType, memory, &raw) }
    }

    /// Takes back a buffer that the driver has finished; `nil` if there is none (`VIDIOC_DQBUF`).
    func dequeueBuffer() throws(SystemCallError) -> cv4l2_buffer? {
        var raw = cv4l2_buffer()
        do throws(SystemCallError) {
            try request("VIDIOC_DQBUF") {
                unsafe cv4l2_dqbuf($0, bufferType, memory, memoryPlanes, &raw)
            }
        } catch {
            if error.code == EAGAIN { return nil }
            throw error
        }
        return raw
    }

    /// Takes a filled buffer; `nil` if there is none. Corresponds to `VIDIOC_DQBUF`.
    public func dequeue() throws(SystemCallError) -> DequeuedFrame? {
        guard let raw = try dequeueBuffer() else { return nil }
        return DequeuedFrame(
            index: Int(raw.index),
            info: FrameInfo(
                timestamp: raw.timestamp_ns, sequence: raw.sequence, bytesUsed: Int(raw.bytesused.0)
            ),
            // An empty buffer still holds an earlier picture, and a picture at another offset than
            // agreed would be misread.
            isDamaged: raw.flags & cv4l2_flag_error != 0 || raw.bytesused.0 == 0
                || raw.data_offset != (0, 0, 0))
    }

    /// Starts streaming. Corresponds to `VIDIOC_STREAMON`.
    public func streamOn() throws(SystemCallError) {
        try request("VIDIOC_STREAMON") { cv4l2_streamon($0, bufferType) }
    }

    /// Stops streaming and takes every buffer back from the driver (`VIDIOC_STREAMOFF`).
    public func streamOff() throws(SystemCallError) {
        try request("VIDIOC_STREAMOFF") { cv4l2_streamoff($0, bufferType) }
    }
}
