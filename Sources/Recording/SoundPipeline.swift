// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media

/// From a microphone's samples to compressed sound that stays with the pictures, whatever the two clocks do.
final class SoundPipeline {
    let format: AudioFormat
    private var encoder: AudioEncoder
    private var clock = SoundClock()
    /// When the last packet is over, nanoseconds.
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
    /// Of a packet, nanoseconds.
    var packetDuration: Int64 { format.duration(of: AudioEncoder.packetLength) }

    /// - Returns: packets whose times rise by a packet's length at least.
    /// - Throws: when the encoder is of no use any more.
    func encode(_ chunk: AudioChunk) throws(MovieError) -> [EncodedSample] {
        let verdict = clock.judge(chunk, encodedUntil: encoder.end)
        switch verdict {
        case .follow: break
        case .correct(let share):
            // Spread over more than the time until the next judgement.
            let distance = format.sampleRate * 2
            encoder.correct(by: Int(share * Double(distance)), over: distance)
        case .restart:
            // Samples were lost, or came twice: what comes has another place.
            encoder = try Self.encoder(format)
        }
        do throws(CodecError) {
            let packets = try encoder.encode(chunk.samples, at: chunk.time)
            return packets.filter(follows)
        } catch {
            throw MovieError(.noEncoder, "sound", underlying: error)
        }
    }

    /// Whether it is not from before the last one's end, as what an encoder begins with may be.
    private func follows(_ packet: EncodedSample) -> Bool {
        // Times are rounded to nanoseconds.
        if let end, packet.time < end - 1000 { return false }
        end = packet.time + packetDuration
        return true
    }
}
