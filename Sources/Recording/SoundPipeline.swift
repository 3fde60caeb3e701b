// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media

/// From a microphone's samples to compressed sound that stays with the pictures, whatever the two clocks do.
final class SoundPipeline {
    let format: AudioFormat
    private var encoder: AudioEncoder
    private var clock = SoundClock()

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

    /// - Throws: when the encoder is of no use any more.
    func encode(_ chunk: AudioChunk) throws(MovieError) -> [EncodedSample] {
        if let end = encoder.end {
            switch clock.judge(chunk.time - end, at: chunk.time) {
            case .follow: break
            case .correct(let share):
                // Spread over more than the time until the next judgement.
                let distance = format.sampleRate * 2
                encoder.correct(by: Int(share * Double(distance)), over: distance)
            case .restart:
                // Samples were lost, or came twice: what comes has another place.
                encoder = try Self.encoder(format)
            }
        }
        do throws(CodecError) {
            return try encoder.encode(chunk.samples, at: chunk.time)
        } catch {
            throw MovieError(.noEncoder, "sound", underlying: error)
        }
    }
}

/// Keeps sound by the frames' clock: by how much its own one has to be made faster or slower.
///
/// What is told of a chunk's time is as exact as the driver; so the error is averaged, and what it comes to in the long
/// run is remembered: the two clocks' difference.
package struct SoundClock: Sendable {
    /// What is to be done.
    package enum Verdict: Equatable {
        /// Nothing is to be changed now.
        case follow
        /// So large a share of the samples is to be made more, fewer where negative.
        case correct(Double)
        /// It is too far away to be corrected.
        case restart
    }

    /// Nanoseconds; no clock drifts that far between two judgements.
    private static let limit: Int64 = 60_000_000
    private static let interval: Int64 = 500_000_000
    /// Of the error that is corrected in a second, and of what is remembered of it.
    private static let (proportion, memory) = (0.5, 0.1)
    /// More nobody's clock is off, and more can be heard.
    private static let largestShare = 0.01

    private var average: Double?
    private var drift = 0.0
    private var lastJudgement: Int64?

    package init() {}

    /// - Parameter error: the chunk's time less where it would come in the encoder, nanoseconds.
    package mutating func judge(_ error: Int64, at now: Int64) -> Verdict {
        if abs(error) > Self.limit {
            (average, lastJudgement) = (nil, nil)
            return .restart
        }
        average = average.map { $0 + (Double(error) - $0) * 0.2 } ?? Double(error)
        guard now - (lastJudgement ?? now - Self.interval) >= Self.interval else { return .follow }
        let seconds = Double(now - (lastJudgement ?? now)) / 1e9
        lastJudgement = now
        let error = (average ?? 0) / 1e9
        drift += error * Self.memory * seconds
        let share = drift + error * Self.proportion
        return .correct(min(max(share, -Self.largestShare), Self.largestShare))
    }
}
