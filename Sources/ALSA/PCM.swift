// SPDX-License-Identifier: GPL-3.0-or-later

internal import CALSA
internal import Glibc
internal import LinuxIO
internal import Media

/// The parts of ALSA's PCM interface that recording and playing share.
enum PCM {
    /// Opens a device with this ``SoundCard/id``, for 16-bit interleaved samples, without blocking.
    /// - Parameters:
    ///   - buffer: The wanted length of the kernel's buffer in microseconds.
    ///   - period: The interval at which the user is woken, in microseconds.
    /// - Returns: The open device, and its buffer in samples per channel.
    /// - Throws: `EBUSY` if another program uses the device, `ENOENT` or `ENODEV` if there is none.
    static func open(
        _ device: String, _ format: AudioFormat, _ direction: snd_pcm_stream_t, buffer: UInt32,
        period: UInt32
    ) throws(SystemCallError) -> (pcm: OpaquePointer, bufferFrames: Int) {
        var opened: OpaquePointer?
        try check(
            "snd_pcm_open", device,
            unsafe snd_pcm_open(&opened, "plughw:\(device)", direction, CInt(SND_PCM_NONBLOCK)))
        guard let opened = unsafe opened else {
            throw SystemCallError(call: "snd_pcm_open", code: ENODEV, path: device)
        }
        do throws(SystemCallError) {
            let frames = try unsafe negotiate(opened, device, format, buffer, period)
            return unsafe (opened, frames)
        } catch {
            unsafe snd_pcm_close(opened)
            throw error
        }
    }

    private static func negotiate(
        _ pcm: OpaquePointer, _ device: String, _ format: AudioFormat, _ wantedBuffer: UInt32,
        _ wantedPeriod: UInt32
    ) throws(SystemCallError) -> Int {
        var parameters: OpaquePointer?
        try check("snd_pcm_hw_params", device, unsafe snd_pcm_hw_params_malloc(&parameters))
        defer { unsafe snd_pcm_hw_params_free(parameters) }
        func set(_ name: String, _ code: CInt) throws(SystemCallError) {
            try check("snd_pcm_hw_params_\(name)", device, code)
        }
        var (period, buffer) = (wantedPeriod, wantedBuffer)
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
        var frames: snd_pcm_uframes_t = 0
        try set(
            "get_buffer_size", unsafe snd_pcm_hw_params_get_buffer_size(parameters, &frames))
        return Int(frames)
    }

    /// Lets the driver's times be those of `CLOCK_MONOTONIC`.
    /// - Parameter start: The samples per channel after which playing begins; `nil` for recording.
    /// - Returns: The descriptor to poll.
    static func prepare(
        _ pcm: OpaquePointer, _ device: String, startingAt start: Int? = nil
    ) throws(SystemCallError) -> CInt {
        var parameters: OpaquePointer?
        try check("snd_pcm_sw_params", device, unsafe snd_pcm_sw_params_malloc(&parameters))
        defer { unsafe snd_pcm_sw_params_free(parameters) }
        unsafe snd_pcm_sw_params_current(pcm, parameters)
        unsafe snd_pcm_sw_params_set_tstamp_mode(pcm, parameters, SND_PCM_TSTAMP_ENABLE)
        unsafe snd_pcm_sw_params_set_tstamp_type(pcm, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC)
        if let start {
            unsafe snd_pcm_sw_params_set_start_threshold(
                pcm, parameters, snd_pcm_uframes_t(start))
        }
        try check("snd_pcm_sw_params", device, unsafe snd_pcm_sw_params(pcm, parameters))
        var waited = pollfd()
        guard unsafe snd_pcm_poll_descriptors(pcm, &waited, 1) == 1 else {
            throw SystemCallError(call: "snd_pcm_poll_descriptors", code: ENODEV, path: device)
        }
        return waited.fd
    }

    static func check(
        _ call: String, _ device: String, _ code: CInt
    ) throws(SystemCallError) {
        if code < 0 { throw SystemCallError(call: call, code: -code, path: device) }
    }
}
