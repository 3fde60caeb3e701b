// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media

/// Reads the chosen subtitles of an item, ahead of their times. Not thread-safe.
final class SubtitleReader {
    let timeline: SubtitleTimeline
    private let reader: MediaReader
    private let source: Source
    /// Opens the media once more; `nil` for those of the network, which would take long.
    private let openAgain: (() throws -> MediaReader)?
    /// The same media, for texts that begin before the place where reading goes on.
    private var earlier: MediaReader?

    private enum Source {
        case track(MediaTrack, SubtitleDecoder)
        case closedCaptions(SubtitleDecoder)
        /// All texts are read.
        case file
        case stream(SubtitleStream)
    }

    /// Opens what an option of an asset names.
    /// - Parameter loaded: Told when more texts are there, and of a later failure. Any thread.
    /// - Throws: The errors of ``SubtitleDecoder`` and ``SubtitleDrawer``; ``PlaybackError``.
    init(
        _ option: MediaSelectionOption, of asset: MediaAsset, _ reader: MediaReader,
        _ stop: MediaStop, loaded: @escaping @Sendable ((any Error)?) -> Void
    ) throws {
        self.reader = reader
        openAgain =
            asset.isRemote || !reader.isSeekable ? nil : { try asset.open(stop: stop) }
        switch option.source {
        case .track(let number):
            guard let track = reader.tracks.first(where: { $0.index == number }) else {
                throw PlaybackError(.unsupported, "\(reader.name) has no track \(number)")
            }
            let decoder = try SubtitleDecoder(track, of: reader)
            timeline = SubtitleTimeline(decoder.script)
            source = .track(track, decoder)
        case .closedCaptions:
            let decoder = try SubtitleDecoder(closedCaptions: ())
            timeline = SubtitleTimeline(decoder.script)
            source = .closedCaptions(decoder)
        case .file(let file):
            timeline = try file.read(stop)
            source = .file
        case .rendition(let rendition):
            let stream = try asset.open(rendition, of: reader, loaded: loaded)
            (timeline, source) = (stream.timeline, .stream(stream))
        }
        try SubtitleDrawer.load()
    }

    /// Reading goes on elsewhere.
    /// - Parameters:
    ///   - time: Up to here everything was read.
    ///   - new: From here on it goes on.
    func restart(at time: MediaTime, from new: MediaTime) {
        switch source {
        case .track(let track, let decoder):
            decoder.flush()
            timeline.close(at: time)
            // Whoever reads the pictures is told what is wrong with the medium.
            try? readEarlier(than: new, track, decoder)
        case .closedCaptions(let decoder):
            decoder.flush()
            // All letters come again, one by one.
            timeline.removeAll()
        case .stream(let stream): stream.follow(new)
        case .file: break
        }
    }

    /// How long before its end a text may begin, if reading goes on meanwhile.
    private static let longest = MediaTime(value: 10, timescale: 1)

    private func readEarlier(
        than time: MediaTime, _ track: MediaTrack, _ decoder: SubtitleDecoder
    ) throws {
        guard time > .zero, let openAgain,
            let leading = reader.tracks.first(where: { $0.kind == .video }) ?? reader.tracks.first
        else { return }
        let earlier = try earlier ?? openAgain()
        self.earlier = earlier
        earlier.select([track.index])
        try earlier.skip(to: time - Self.longest, by: leading)
        while let packet = try earlier.read(of: track), packet.time < time {
            if let event = decoder.decode(packet) { timeline.add(event) }
        }
    }

    /// Reads what has come with pictures and sound.
    /// - Parameters:
    ///   - picture: A picture that was decoded now.
    ///   - time: Up to here everything was read.
    func read(with picture: DecodedPicture?, until time: MediaTime) {
        switch source {
        case .track(let track, let decoder):
            while let packet = reader.takeWaiting(of: track) {
                if let event = decoder.decode(packet) { timeline.add(event) }
            }
        case .closedCaptions(let decoder):
            guard let picture, let captions = picture.closedCaptions,
                let event = decoder.decode(closedCaptions: captions, at: picture.time)
            else { return }
            timeline.add(event)
        case .stream(let stream): stream.follow(time)
        case .file: break
        }
    }
}
