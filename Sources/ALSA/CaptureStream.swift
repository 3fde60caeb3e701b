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
        var opened: OpaquePointer?
        try Self.check(
            "snd_pcm_open", device,
            unsafe snd_pcm_open(
                &opened, "plughw:\(device)", SND_PCM_STREAM_CAPTURE, CInt(SND_PCM_NONBLOCK)))
        guard let opened = unsafe opened else {
            throw SystemCallError(call: "snd_pcm_open", code: ENODEV, path: device)
        }
        do throws(SystemCallError) {
            (readyDescriptor, buffer) = try unsafe Self.start(opened, device, format)
        } catch {
            unsafe snd_pcm_close(opened)
            throw error
        }
        unsafe pcm = opened
        self.format = format
        self.device = device
    }

    deinit { unsafe snd_pcm_close(pcm) }

    private static func start(
        _ pcm: OpaquePointer, _ device: String, _ format: AudioFormat
    ) throws(SystemCallError) -> (readyDescriptor: CInt, buffer: Int64) {
        let buffer = try unsafe negotiate(pcm, device, format)
        var parameters: OpaquePointer?
        try check("snd_pcm_sw_params", device, unsafe snd_pcm_sw_params_malloc(&parameters))
        defer { unsafe snd_pcm_sw_params_free(parameters) }
        unsafe snd_pcm_sw_params_current(pcm, parameters)
        unsafe snd_pcm_sw_params_set_tstamp_mode(pcm, parameters, SND_PCM_TSTAMP_ENABLE)
        unsafe snd_pcm_sw_params_set_tstamp_type(pcm, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC)
        try check("snd_pcm_sw_params", device, unsafe snd_pcm_sw_params(pcm, parameters))
        var waited = pollfd()
        guard unsafe snd_pcm_poll_descriptors(pcm, &waited, 1) == 1 else {
            throw SystemCallError(call: "snd_pcm_poll_descriptors", code: ENODEV, path: device)
        }
        try check("snd_pcm_start", device, unsafe snd_pcm_start(pcm))
        return (waited.fd, buffer)
    }

    /// Sets the format and the buffer, and returns ``buffer``.
    private static func negotiate(
        _ pcm: OpaquePointer, _ device: String, _ format: AudioFormat
    ) throws(SystemCallError) -> Int64 {
        var parameters: OpaquePointer?
        try check("snd_pcm_hw_params", device, unsafe snd_pcm_hw_params_malloc(&parameters))
        defer { unsafe snd_pcm_hw_params_free(parameters) }
        func set(_ name: String, _ code: CInt) throws(SystemCallError) {
            try check("snd_pcm_hw_params_\(name)", device, code)
        }
        var (period, buffer) = (period, wantedBuffer)
        try set("any", unsafe snd_pcm_hw_params_any(pcm, parameters))
        try set(
            "set_access",
            unsafe snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED))
        try set(
            "set_format",
            unsafe snd_pcm_hw_params_set_format(pcm, parameters, SND_PCM_FORMAT_S16_LE))
        try set(
            "set_channels",
            unsafe snd_pcm_hw_params_set_channels(pcm, parameters, CUnsignedInt(format.channels)))
        try set(
            "set_rate",
            unsafe snd_pcm_hw_params_set_rate(pcm, parameters, CUnsignedInt(format.sampleRate), 0))
        try set(
            "set_period_time_near",
            unsafe snd_pcm_hw_params_set_period_time_near(pcm, parameters, &period, nil))
        try set(
            "set_buffer_time_near",
            unsafe snd_pcm_hw_params_set_buffer_time_near(pcm, parameters, &buffer, nil))
        try check("snd_pcm_hw_params", device, unsafe snd_pcm_hw_params(pcm, parameters))
        return Int64(buffer) * 1000
    }

    /// Reads the samples that wait, with their time by the driver; `nil` if there are none. Never
    /// blocks. Throws `EPIPE` if samples were lost: call ``restart()``; `ENODEV` if the device is
    /// gone. ALSA may not notice a loss after the machine stood still for longer than ``buffer``;
    /// the times of the samples then show the gap.
    public borrowing func read() throws(SystemCallError) -> AudioChunk? {
        var available: snd_pcm_uframes_t = 0
        var stamp = timespec()
        try Self.check("snd_pcm_avail", device, CInt(clamping: unsafe snd_pcm_avail(pcm)))
        try Self.check(
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
        try Self.check("snd_pcm_readi", device, CInt(clamping: code))
        samples.removeLast(samples.count - code * channels)
        let now = Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_nsec)
        return AudioChunk(
            format, samples: samples, time: now - format.duration(of: Int(available)))
    }

    /// Starts again after samples were lost.
    public borrowing func restart() throws(SystemCallError) {
        try Self.check("snd_pcm_prepare", device, unsafe snd_pcm_prepare(pcm))
        try Self.check("snd_pcm_start", device, unsafe snd_pcm_start(pcm))
    }

    private static func check(
        _ call: String, _ device: String, _ code: CInt
    ) throws(SystemCallError) {
        if code < 0 { throw SystemCallError(call: call, code: -code, path: device) }
    }
}
