// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Reads the sound of one track without a gap: silence stands for sound that the file does not
/// have. Not thread-safe.
public final class SoundReader {
    private let reader: MediaReader
    private let track: MediaTrack
    private let decoder: SoundDecoder
    private var isAtEnd = false
    /// Earlier sound is left out.
    private var beginning = MediaTime.negativeInfinity
    /// The time of the next sample, or where the first one is expected.
    private var next = MediaTime.zero
    private var isFirst = true
    /// Sound that comes after the silence that is being returned.
    private var pending: DecodedSound?

    /// The rate and the channels of the samples.
    public var format: AudioFormat { decoder.format }

    /// Begins at the first sample. The track must be selected.
    /// - Throws: `missing` if there is no decoder; `exhausted`; `unsupported`.
    public init(
        _ track: MediaTrack, of reader: MediaReader, as format: AudioFormat
    ) throws(CodecError) {
        (self.track, self.reader) = (track, reader)
        decoder = try SoundDecoder(track, of: reader, as: format)
    }

    /// Returns the next samples; `nil` at the end.
    /// - Throws: The errors of ``MediaReader/read(of:)``.
    public func read() throws -> DecodedSound? {
        var waiting = pending.take()
        if waiting == nil { waiting = try decodeNext() }
        guard let sound = waiting else { return nil }
        let gap = sound.time.isNumeric ? sound.time - next : .zero
        if gap > Self.tolerance, gap < Self.longestGap {
            pending = sound
            return silence(min(gap, Self.longestSilence))
        }
        // The times of some formats are rounded, but no sample is missing.
        let time = isFirst && sound.time.isNumeric ? sound.time : next
        let timed = DecodedSound(time: time, samples: sound.samples)
        (next, isFirst) = (timed.end(format), false)
        return timed
    }

    /// Smaller gaps are errors of the file's times.
    private static let tolerance = MediaTime(value: 1, timescale: 20)
    /// Longer gaps are errors of the file, too.
    private static let longestGap = MediaTime(value: 3600, timescale: 1)
    private static let longestSilence = MediaTime(value: 1, timescale: 10)

    private func silence(_ length: MediaTime) -> DecodedSound {
        let rate = Int32(format.sampleRate)
        let count = Int(max(length.converted(toTimescale: rate).value, 1))
        let silence = DecodedSound(
            time: next, samples: [Int16](repeating: 0, count: count * format.channels))
        (next, isFirst) = (silence.end(format), false)
        return silence
    }

    private func decodeNext() throws -> DecodedSound? {
        while true {
            if let sound = decoder.receive() {
                if let rest = sound.dropping(before: beginning, format) { return rest }
                continue
            }
            if isAtEnd { return nil }
            let packet = try reader.read(of: track)
            isAtEnd = packet == nil
            _ = decoder.send(packet)
        }
    }

    /// Goes to the sample of an instant.
    /// - Throws: The errors of ``MediaReader/seek(to:of:)``.
    public func seek(to time: MediaTime) throws {
        _ = try reader.seek(to: time, of: track)
        restart(at: time)
    }

    /// Goes to the sample of an instant, after the reader has gone to another track's key frame
    /// that is not after it.
    public func restart(at time: MediaTime) {
        decoder.reset()
        (beginning, next, pending) = (time, max(time, .zero), nil)
        (isFirst, isAtEnd) = (true, false)
    }
}

/// Consecutive samples of 16 bits, interleaved by channel.
public struct DecodedSound: Sendable {
    /// When the first sample is heard, from the file's beginning.
    public let time: MediaTime
    /// The samples.
    public let samples: [Int16]

    /// Creates sound; nothing is checked.
    public init(time: MediaTime, samples: [Int16]) { (self.time, self.samples) = (time, samples) }

    /// Returns the time behind the last sample.
    public func end(_ format: AudioFormat) -> MediaTime {
        time
            + MediaTime(
                value: Int64(samples.count / format.channels),
                timescale: Int32(format.sampleRate))
    }

    /// Returns the part from an instant on; `nil` if there is none.
    public func dropping(before beginning: MediaTime, _ format: AudioFormat) -> DecodedSound? {
        guard time.isNumeric, time < beginning else { return self }
        let rate = Int32(format.sampleRate)
        let early = (beginning - time).converted(toTimescale: rate)
        let count = early.isNumeric ? early.value : .max
        guard count < samples.count / format.channels else { return nil }
        return DecodedSound(
            time: time + MediaTime(value: count, timescale: rate),
            samples: Array(samples.dropFirst(Int(count) * format.channels)))
    }
}
