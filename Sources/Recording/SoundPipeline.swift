// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media

/// Compresses a microphone's samples and keeps the sound in step with the pictures.
final class SoundPipeline {
    let format: AudioFormat
    private var encoder: AudioEncoder
    private var clock = SoundClock()
    /// When the last packet ends, in nanoseconds.
    private var end: Int64?

    /// - Throws: ``MovieError/Code/noEncoder``.
    init(_ format: AudioFormat) throws(MovieError) {
        self.format = format
        encoder = try Self.encoder(format)
    }

    private static func encoder(_ format: AudioFormat) throws(MovieError) -> AudioEncoder {
        do throws(CodecError) {
            return try AudioEncoder(format)
        } catch {
            throw MovieError(.noEncoder, "sound", underlying: error)
        }
    }

    var track: MovieTrack { .aac(encoder.configuration, format) }
    /// Nanoseconds per packet.
    var packetDuration: Int64 { format.duration(of: AudioEncoder.packetLength) }

    /// Compresses a chunk to packets whose times are at least a packet's length apart. Throws if
    /// the encoder is no longer usable.
    func encode(_ chunk: AudioChunk) throws(MovieError) -> [EncodedSample] {
        let verdict = clock.judge(chunk, encodedUntil: encoder.end)
        switch verdict {
        case .follow: break
        case .correct(let share):
            // Two seconds reach beyond the next correction, which replaces this one.
            let distance = format.sampleRate * 2
            encoder.correct(by: Int(share * Double(distance)), over: distance)
        case .restart:
            // Samples were lost or repeated: a new encoder starts at the chunk's time.
            encoder = try Self.encoder(format)
        }
        do throws(CodecError) {
            let packets = try encoder.encode(chunk.samples, at: chunk.time)
            return packets.filter(follows)
        } catch {
            throw MovieError(.noEncoder, "sound", underlying: error)
        }
    }

    /// Whether the packet begins after the last one's end; a new encoder's first packets may not.
    private func follows(_ packet: EncodedSample) -> Bool {
        // Times are rounded to nanoseconds.
        if let end, packet.time < end - 1000 { return false }
        end = packet.time + packetDuration
        return true
    }
}
