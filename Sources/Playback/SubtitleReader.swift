// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media

/// Reads the chosen subtitles of an item, ahead of their times. Not thread-safe.
final class SubtitleReader {
    let timeline: SubtitleTimeline
    private let reader: MediaReader
    private let source: Source

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
        case .track(_, let decoder):
            decoder.flush()
            timeline.close(at: time)
        case .closedCaptions(let decoder):
            decoder.flush()
            // All letters come again, one by one.
            timeline.removeAll()
        case .stream(let stream): stream.follow(new)
        case .file: break
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
