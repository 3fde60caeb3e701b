// SPDX-License-Identifier: GPL-3.0-or-later

internal import ALSA
public import LinuxIO
public import Media

/// A device that plays sound, or its stand-in. For one thread. Errors and positions are those of
/// ``PlaybackStream``.
public protocol SoundOutput: AnyObject {
    /// The format of the samples.
    var format: AudioFormat { get }
    /// Writes as many interleaved samples as there is room for; returns how many per channel.
    func write(_ samples: ArraySlice<Int16>) throws(SystemCallError) -> Int
    /// Starts the device although its buffer is not half full.
    func start() throws(SystemCallError)
    /// Returns how many samples per channel have been heard since the start, and when; `nil`
    /// before.
    func position() throws(SystemCallError) -> (frames: Int, host: Int64)?
    /// Drops what was not heard. The next sample has position 0.
    func restart() throws(SystemCallError)
}

/// A sound device of ALSA.
public final class ALSAOutput: SoundOutput {
    private var stream: PlaybackStream
    /// The format of the samples.
    public let format: AudioFormat

    /// Opens a device; see ``PlaybackStream/init(_:_:buffer:)``.
    public init(
        _ device: String, _ format: AudioFormat = AudioFormat(sampleRate: 48_000, channels: 2)
    ) throws(SystemCallError) {
        stream = try PlaybackStream(device, format)
        self.format = format
    }

    /// Returns an opener for a configured device: `auto` is the first that plays.
    /// - Returns: `nil` without a device: for an empty setting, or if nothing plays.
    public static func opener(_ setting: String) -> Player.SoundOpener? {
        let device = setting == "auto" ? SoundCard.playing.first?.id : setting
        guard let device, !device.isEmpty else { return nil }
        return { () throws(SystemCallError) in try ALSAOutput(device) }
    }

    /// Writes samples; see ``PlaybackStream/write(_:)``.
    public func write(_ samples: ArraySlice<Int16>) throws(SystemCallError) -> Int {
        try stream.write(samples)
    }

    /// Starts the device; see ``PlaybackStream/start()``.
    public func start() throws(SystemCallError) { try stream.start() }

    /// Returns what was heard; see ``PlaybackStream/position()``.
    public func position() throws(SystemCallError) -> (frames: Int, host: Int64)? {
        try stream.position()
    }

    /// Drops what was not heard; see ``PlaybackStream/restart()``.
    public func restart() throws(SystemCallError) { try stream.restart() }
}
