// SPDX-License-Identifier: GPL-3.0-or-later

internal import CALSA
internal import Glibc
public import LinuxIO
public import Media

/// An open sound device that plays, closed with its owner. For one thread. Its clock tells how many
/// samples have been heard.
@safe
public struct PlaybackStream: ~Copyable {
    private let pcm: OpaquePointer
    /// The format of the samples, which ALSA converts to one that the device has.
    public let format: AudioFormat
    /// The identifier with which the device was opened.
    public let device: String
    /// Writable when samples can be written; in error when the device is gone.
    public let readyDescriptor: CInt
    /// The most samples per channel that wait in the kernel.
    public let bufferFrames: Int
    /// Samples per channel that were written since the start.
    private var written = 0

    private static let period: UInt32 = 20_000
    /// The part of the buffer that must be full before the device starts.
    private static let startPart = 2

    /// Opens the device with this ``SoundCard/id``. It starts once half of its buffer is full, or
    /// with ``start()``. Throws `EBUSY` if another program uses the device, `ENOENT` or `ENODEV` if
    /// there is none.
    /// - Parameter buffer: The wanted length of the kernel's buffer in microseconds: how late a
    ///   writer may be.
    public init(
        _ device: String, _ format: AudioFormat, buffer: UInt32 = 200_000
    ) throws(SystemCallError) {
        let opened = try unsafe PCM.open(
            device, format, SND_PCM_STREAM_PLAYBACK, buffer: buffer, period: Self.period)
        do throws(SystemCallError) {
            readyDescriptor = try unsafe PCM.prepare(
                opened.pcm, device, startingAt: opened.bufferFrames / Self.startPart)
        } catch {
            unsafe snd_pcm_close(opened.pcm)
            throw error
        }
        unsafe pcm = opened.pcm
        bufferFrames = unsafe opened.bufferFrames
        self.format = format
        self.device = device
    }

    deinit { unsafe snd_pcm_close(pcm) }

    /// Writes as many samples as the buffer has room for, and never blocks.
    /// - Parameter samples: Interleaved by channel.
    /// - Returns: The number of samples per channel that were taken, perhaps 0.
    /// - Throws: `EPIPE` if the device ran out of samples before: call ``restart()``; `ENODEV` if
    ///   the device is gone.
    public mutating func write(_ samples: ArraySlice<Int16>) throws(SystemCallError) -> Int {
        let count = samples.count / format.channels
        if count == 0 { return 0 }
        let taken = unsafe samples.withUnsafeBufferPointer { buffer in
            unsafe snd_pcm_writei(pcm, buffer.baseAddress, snd_pcm_uframes_t(count))
        }
        if taken == -Int(EAGAIN) { return 0 }
        try PCM.check("snd_pcm_writei", device, CInt(clamping: taken))
        written += taken
        return taken
    }

    /// Starts the device although its buffer is not half full: before the last samples.
    public borrowing func start() throws(SystemCallError) {
        guard unsafe snd_pcm_state(pcm) == SND_PCM_STATE_PREPARED else { return }
        try PCM.check("snd_pcm_start", device, unsafe snd_pcm_start(pcm))
    }

    /// Returns how many samples per channel have left the buffer since the start, and when, in
    /// nanoseconds of `CLOCK_MONOTONIC`; `nil` before the device has started.
    /// - Throws: `EPIPE` if the device has run out of samples; `ENODEV`.
    public borrowing func position() throws(SystemCallError) -> (frames: Int, host: Int64)? {
        guard unsafe snd_pcm_state(pcm) != SND_PCM_STATE_PREPARED else { return nil }
        var available: snd_pcm_uframes_t = 0
        var stamp = timespec()
        try PCM.check("snd_pcm_avail", device, CInt(clamping: unsafe snd_pcm_avail(pcm)))
        try PCM.check(
            "snd_pcm_htimestamp", device, unsafe snd_pcm_htimestamp(pcm, &available, &stamp))
        let waiting = bufferFrames - min(Int(available), bufferFrames)
        return (
            written - waiting, Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_nsec)
        )
    }

    /// Drops the samples that wait, and makes the device ready to start anew, at position 0.
    public mutating func restart() throws(SystemCallError) {
        unsafe snd_pcm_drop(pcm)
        written = 0
        try PCM.check("snd_pcm_prepare", device, unsafe snd_pcm_prepare(pcm))
    }
}
