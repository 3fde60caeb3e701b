// SPDX-License-Identifier: GPL-3.0-or-later

internal import CALSA
internal import Glibc
public import LinuxIO
public import Media

/// An open sound device that records, closed with its owner. For one thread.
@safe
public struct CaptureStream: ~Copyable {
    private let pcm: OpaquePointer
    /// The delivered format: the requested one, converted by ALSA from what the device has.
    public let format: AudioFormat
    /// The identifier with which the device was opened.
    public let device: String
    /// Readable when samples can be read; in error when the device is gone.
    public let readyDescriptor: CInt
    /// The length of the kernel's buffer in nanoseconds: how long a reader may be late.
    public let buffer: Int64

    /// The requested buffer, and the interval at which a reader is woken, in microseconds.
    private static let wantedBuffer: UInt32 = 2_000_000
    private static let period: UInt32 = 50_000
    /// The most samples per channel that ``read()`` returns; more may wait after so many.
    public static let longestRead = 4096

    /// Opens the device with this ``SoundCard/id`` and starts it. Throws `EBUSY` if another program
    /// uses the device, `ENOENT` or `ENODEV` if there is none.
    public init(_ device: String, _ format: AudioFormat) throws(SystemCallError) {
        let opened = try unsafe PCM.open(
            device, format, SND_PCM_STREAM_CAPTURE, buffer: Self.wantedBuffer, period: Self.period)
        do throws(SystemCallError) {
            let waited = try unsafe PCM.prepare(opened.pcm, device)
            try PCM.check("snd_pcm_start", device, unsafe snd_pcm_start(opened.pcm))
            readyDescriptor = waited
        } catch {
            unsafe snd_pcm_close(opened.pcm)
            throw error
        }
        buffer = unsafe format.duration(of: opened.bufferFrames)
        unsafe pcm = opened.pcm
        self.format = format
        self.device = device
    }

    deinit { unsafe snd_pcm_close(pcm) }

    /// Reads the samples that wait, with their time by the driver; `nil` if there are none. Never
    /// blocks. Throws `EPIPE` if samples were lost: call ``restart()``; `ENODEV` if the device is
    /// gone. ALSA may not notice a loss after the machine stood still for longer than ``buffer``;
    /// the times of the samples then show the gap.
    public borrowing func read() throws(SystemCallError) -> AudioChunk? {
        var available: snd_pcm_uframes_t = 0
        var stamp = timespec()
        try PCM.check("snd_pcm_avail", device, CInt(clamping: unsafe snd_pcm_avail(pcm)))
        try PCM.check(
            "snd_pcm_htimestamp", device, unsafe snd_pcm_htimestamp(pcm, &available, &stamp))
        if available == 0 { return nil }
        let room = min(Int(available), Self.longestRead)
        var code: Int = 0
        let channels = format.channels
        var samples = unsafe [Int16](unsafeUninitializedCapacity: room * channels) {
            buffer, filled in
            code = unsafe snd_pcm_readi(pcm, buffer.baseAddress, snd_pcm_uframes_t(room))
            filled = max(code, 0) * channels
        }
        if code == -Int(EAGAIN) || code == 0 { return nil }
        try PCM.check("snd_pcm_readi", device, CInt(clamping: code))
        samples.removeLast(samples.count - code * channels)
        let now = Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_nsec)
        return AudioChunk(
            format, samples: samples, time: now - format.duration(of: Int(available)))
    }

    /// Starts again after samples were lost.
    public borrowing func restart() throws(SystemCallError) {
        try PCM.check("snd_pcm_prepare", device, unsafe snd_pcm_prepare(pcm))
        try PCM.check("snd_pcm_start", device, unsafe snd_pcm_start(pcm))
    }
}
