// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO
internal import Media

/// The sound between the feeds and an output: what is written, and which of it is heard now.
final class SoundLine {
    /// Sound that was written and is not heard yet.
    private struct Piece {
        let sound: DecodedSound
        let feed: MediaFeed
        /// The output's position of the first sample.
        let start: Int
    }

    let output: any SoundOutput
    private var pieces: [Piece] = []
    /// The rest of the last piece, at the volume of its time.
    private var rest: ArraySlice<Int16> = []
    /// The output's position behind the last piece.
    private var end = 0
    /// Whether the output has sound of the present run.
    private(set) var isActive = false

    init(_ output: any SoundOutput) { self.output = output }

    /// The feed of the last piece.
    var lastFeed: MediaFeed? { pieces.last?.feed }

    /// The media time behind the last sample that was written.
    var writtenTime: MediaTime? {
        pieces.last.map { time(of: end - rest.count / output.format.channels, in: $0) }
    }

    /// Writes what `next` returns until the output is full or `next` has nothing.
    /// - Parameter volume: 0 to 1.
    /// - Throws: The errors of ``SoundOutput/write(_:)``.
    func fill(
        volume: Double, _ next: () -> (sound: DecodedSound, feed: MediaFeed)?
    ) throws(SystemCallError) {
        while true {
            if rest.isEmpty {
                guard let (sound, feed) = next() else { return }
                pieces.append(Piece(sound: sound, feed: feed, start: end))
                end += sound.samples.count / output.format.channels
                rest = sound.samples.scaled(by: volume)[...]
                isActive = true
            }
            let taken = try output.write(rest)
            if taken == 0 { return }
            rest = rest.dropFirst(taken * output.format.channels)
        }
    }

    /// Returns the media time that is heard, its feed and the instant; `nil` before the start.
    /// Forgets what was heard before.
    /// - Throws: The errors of ``SoundOutput/position()``.
    func heard() throws(SystemCallError) -> (feed: MediaFeed, time: MediaTime, host: Int64)? {
        guard let (frames, host) = try output.position() else { return nil }
        while pieces.count > 1, pieces[1].start <= frames { pieces.removeFirst() }
        guard let piece = pieces.first else { return nil }
        return (piece.feed, time(of: frames, in: piece), host)
    }

    private func time(of frame: Int, in piece: Piece) -> MediaTime {
        piece.sound.time
            + MediaTime(
                value: Int64(frame - piece.start), timescale: Int32(output.format.sampleRate))
    }

    /// Silences the output, and gives back to their feeds what was not heard.
    /// - Returns: The media time up to which sound was heard, and its feed; `nil` for none.
    /// - Throws: The errors of ``SoundOutput/restart()``.
    @discardableResult
    func stop() throws(SystemCallError) -> (feed: MediaFeed, time: MediaTime)? {
        let heard = try? heard()
        for piece in pieces.reversed() {
            let time = heard.map { $0.feed === piece.feed ? $0.time : .negativeInfinity } ?? .zero
            giveBack(piece, from: time)
        }
        try restart()
        return heard.map { ($0.feed, $0.time) }
    }

    /// Makes the output ready for the next run, after it has played everything. Gives back what
    /// was not written.
    /// - Throws: The errors of ``SoundOutput/restart()``.
    func recover() throws(SystemCallError) {
        if !rest.isEmpty, let piece = pieces.last, let writtenTime {
            giveBack(piece, from: writtenTime)
        }
        try restart()
    }

    private func giveBack(_ piece: Piece, from time: MediaTime) {
        guard let unheard = piece.sound.dropping(before: time, output.format) else { return }
        piece.feed.putBack(unheard)
    }

    private func restart() throws(SystemCallError) {
        (pieces, rest, end, isActive) = ([], [], 0, false)
        try output.restart()
    }
}

extension [Int16] {
    /// Returns the samples at a volume from 0 to 1.
    fileprivate func scaled(by volume: Double) -> [Int16] {
        if volume >= 1 { return self }
        let factor = Int32((Swift.max(volume, 0) * 65_536).rounded())
        return map { Int16(truncatingIfNeeded: (Int32($0) * factor) >> 16) }
    }
}
