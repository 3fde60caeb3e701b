// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO
internal import Media

/// The microphone's sound on its way into movies: compressed, and kept for the pre-roll.
struct MovieSound {
    /// Sound comes every few dozen milliseconds; far more is a microphone that is not there.
    private static let patience: Int64 = 500_000_000
    /// A movie's pictures begin with a key frame, up to a second before; and sound is late.
    private static let reserve: Int64 = 1_500_000_000

    private var pipeline: SoundPipeline?
    private var ring: SampleRing
    /// When a movie began last: nanoseconds of `CLOCK_MONOTONIC`.
    private var begin: Int64 = 0

    init(_ settings: MovieSettings) {
        // It is far smaller than the pictures.
        ring = SampleRing(
            duration: settings.preRoll > 0 ? settings.preRoll + Self.reserve : 0,
            reserve: settings.orderDelay, largest: settings.largestPreRollBytes / 8)
    }

    /// Of what a movie is told; `nil` without sound.
    var track: MovieTrack? { pipeline?.track }
    /// Of a packet, nanoseconds; `nil` without sound.
    var packetDuration: Int64? { pipeline?.packetDuration }
    /// What is kept of it, and its bytes.
    var preRoll: [EncodedSample] { ring.all }
    var preRollBytes: Int { ring.bytes }

    /// Whether movies go on with sound of this format.
    func goesOn(with format: AudioFormat?) -> Bool {
        pipeline == nil || pipeline?.format == format
    }

    /// Whether nothing is to come: of a microphone that has gone, never came, or is another's.
    ///
    /// - Parameter heard: when some came last, whether it was looked at or not; nanoseconds of `CLOCK_MONOTONIC`.
    func isDumb(heard: Int64) -> Bool {
        pipeline == nil || Clock.monotonic - max(begin, heard) > Self.patience
    }

    /// A movie begins, which has to know beforehand that there will be sound.
    mutating func begin(_ format: AudioFormat?) {
        begin = Clock.monotonic
        if let format { make(format) }
    }

    private mutating func make(_ format: AudioFormat) {
        // Pictures without their sound are better than none.
        if pipeline == nil { pipeline = try? SoundPipeline(format) }
    }

    /// - Parameter start: of the pictures that are kept, which an encoder that is behind delivers late and far apart;
    ///   `nil` where none are.
    /// - Returns: the packets that are ready.
    mutating func encode(_ chunk: AudioChunk, picturesFrom start: Int64?) -> [EncodedSample] {
        make(chunk.format)
        guard let packets = try? pipeline?.encode(chunk) else {
            pipeline = nil
            return []
        }
        for packet in packets { ring.add(packet, keepingFrom: start) }
        return packets
    }

    /// What comes is another microphone's.
    mutating func end() {
        pipeline = nil
        ring.clear()
    }

    /// The pictures that what is kept belongs to are gone.
    mutating func clearPreRoll() { ring.clear() }
}
