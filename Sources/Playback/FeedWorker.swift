// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Glibc
internal import LinuxIO
internal import Media
internal import Synchronization

/// The thread of a ``MediaFeed``.
final class FeedWorker {
    /// The most pictures that wait, and the most bytes of them unless there is only one.
    static let picturesAhead = 4
    private static let pictureBytesAhead = 64 << 20
    /// The samples of all channels that wait: half a second of stereo at 48 kHz.
    static let soundAhead = 48_000

    private let item: PlayerItem
    private let format: AudioFormat
    private let isHeard: Bool
    private let store: MediaFeed.Store
    private var pictures: PictureReader?
    private var sound: SoundReader?
    private var subtitles: SubtitleReader?
    private var tracks: (picture: MediaTrack?, sound: MediaTrack?) = (nil, nil)
    private var isSeekable = true
    /// The order that is fulfilled.
    private var order: MediaFeed.Order?
    /// The item's choice of tracks, and the choices that it counts.
    private var choice = PlayerItem.Choice()
    private var choices = 0
    private var opened: (reader: MediaReader, facts: MediaAsset.Facts)?
    /// The end of the last picture and of the last sound.
    private var (pictureTime, soundTime) = (MediaTime.zero, MediaTime.zero)

    init(
        _ item: PlayerItem, _ format: AudioFormat, isHeard: Bool, _ store: MediaFeed.Store
    ) {
        (self.item, self.format, self.isHeard, self.store) = (item, format, isHeard, store)
    }

    private enum Work {
        case go(MediaFeed.Order)
        case select(Int)
        case picture, sound, rest, end
    }

    /// Works until the feed is released; calls `wait` while there is nothing to do.
    func run(_ wait: () -> Void) {
        do {
            try open()
        } catch {
            fail(error)
        }
        while true {
            let work = store.lock.withLock { state -> Work in
                if state.isEnding { return .end }
                if state.failure != nil { return .rest }
                if state.order.number != order?.number { return .go(state.order) }
                let revision = item.selectionRevision
                return revision == choices ? next(state) : .select(revision)
            }
            do {
                switch work {
                case .end: return
                case .rest: wait()
                case .go(let order): try go(order)
                case .select(let revision): selectSubtitles(revision)
                case .picture: try decodePicture()
                case .sound: try decodeSound()
                }
            } catch {
                fail(error)
            }
        }
    }

    private func next(_ state: MediaFeed.State) -> Work {
        let needsSound = state.soundEnd == nil && order?.needsSound == true
        if needsSound, state.soundSamples < Self.soundAhead / 2 { return .sound }
        let bytes = state.pictures.reduce(0) { $0 + $1.dimensions.pixels * 3 / 2 }
        let hasRoom =
            state.pictures.count < Self.picturesAhead
            && (state.pictures.isEmpty || bytes < Self.pictureBytesAhead)
        if state.pictureEnd == nil, hasRoom { return .picture }
        return needsSound && state.soundSamples < Self.soundAhead ? .sound : .rest
    }

    private func open() throws {
        let former = store.lock.withLock { $0.reader }
        let reader = try item.asset.open(
            within: item.limits, stop: store.stop, origin: former?.origin)
        let facts = try item.asset.facts(reader)
        item.asset.adopt(facts)
        choices = item.selectionRevision
        let chosen = try item.choice(facts)
        (opened, choice) = ((reader, facts), chosen)
        isSeekable = reader.isSeekable
        tracks.picture = reader.tracks.first { $0.index == chosen.visual?.track }
        let isNeeded = isHeard || tracks.picture == nil
        tracks.sound =
            isNeeded ? reader.tracks.first { $0.index == chosen.audible?.track } : nil
        selectTracks(of: reader)
        if let track = tracks.picture {
            // The device may be the only one of its kind.
            pictures = nil
            let pictures = try open(
                track, of: reader, captioned: chosen.legible?.isInPictures == true)
            self.pictures = pictures
            item.decodes(by: pictures.decoderName)
        }
        if let track = tracks.sound {
            do {
                sound = try SoundReader(track, of: reader, as: format)
            } catch {
                // Pictures without their sound are better than nothing.
                if pictures == nil { throw error }
                tracks.sound = nil
            }
        }
        let subtitleFailure = openSubtitles(chosen.legible, reader)
        store.lock.withLock { state in
            state.reader = reader
            state.tracks = tracks
            state.subtitles = subtitles?.timeline
            state.subtitleFailure = subtitleFailure
        }
        item.opened(
            facts, presentationSize: tracks.picture?.presentationSize,
            subtitle: subtitles == nil ? nil : chosen.legible)
    }

    private func open(
        _ track: MediaTrack, of reader: MediaReader, captioned isCaptioned: Bool
    ) throws(CodecError) -> PictureReader {
        let mayUseDevice = item.allowsHardwareDecoding && !isCaptioned
        return try PictureReader(
            track, of: reader, threads: Self.threads,
            by: mayUseDevice ? DeviceDecoder(track, of: reader) : nil
        ) { [weak self] error in self?.replaced(error) }
    }

    /// Notes why libavcodec goes on instead of a device.
    private func replaced(_ error: any Error) {
        guard let pictures else { return }
        item.decodes(by: pictures.decoderName, "\(error)")
    }

    private func selectTracks(of reader: MediaReader) {
        let played = [tracks.picture?.index, tracks.sound?.index, choice.legible?.track]
        reader.select(Set(played.compactMap(\.self)))
    }

    /// Shows other subtitles while the item is played.
    private func selectSubtitles(_ revision: Int) {
        choices = revision
        guard let (reader, facts) = opened else { return }
        var failure: PlaybackError?
        do {
            choice.legible = try item.choice(facts).legible
            if choice.legible?.isInPictures == true, let pictures {
                try pictures.useLibavcodec()
                item.decodes(by: pictures.decoderName)
            }
            selectTracks(of: reader)
            failure = openSubtitles(choice.legible, reader)
            let time = max(pictureTime, soundTime)
            subtitles?.restart(at: time, from: time)
        } catch {
            failure = PlaybackError(item.asset.name, error)
        }
        store.lock.withLock { state in
            state.subtitles = subtitles?.timeline
            state.subtitleFailure = failure
        }
        item.chosen(subtitle: subtitles == nil ? nil : choice.legible)
        store.changed()
    }

    /// Returns why there are none, although they are chosen. The rest is played without them.
    private func openSubtitles(
        _ chosen: MediaSelectionOption?, _ reader: MediaReader
    ) -> PlaybackError? {
        subtitles = nil
        guard let chosen else { return nil }
        do {
            let name = item.asset.name
            subtitles = try SubtitleReader(chosen, of: item.asset, reader, store.stop) {
                [weak store] error in
                guard let store else { return }
                if let error {
                    store.lock.withLock { $0.subtitleFailure = PlaybackError(name, error) }
                }
                store.changed()
            }
            return nil
        } catch {
            return PlaybackError(item.asset.name, error)
        }
    }

    /// Frame threads, one for each processor, up to four.
    private static let threads = min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 4)

    // MARK: orders

    private func go(_ order: MediaFeed.Order) throws {
        self.order = order
        if order.reopens {
            do {
                try open()
            } catch {
                // The present variant is better than none.
                if opened == nil { throw error }
            }
        }
        var first: DecodedPicture?
        var time = order.time
        if let pictures {
            if order.reopens, !isSeekable {
                // A live stream goes on where it is.
                first = try pictures.next()
                if let first { time = first.time }
            } else if order.isForward {
                first = try pictures.picture(
                    at: order.time, toleranceBefore: order.tolerance,
                    mayGoOn: !order.needsSound)
                if let first, order.tolerance > .zero { time = max(first.time, .zero) }
            } else {
                first = try keyFrame(before: order.time, pictures)
            }
        }
        if order.needsSound, let sound {
            if pictures == nil, isSeekable {
                try sound.seek(to: order.time)
            } else {
                sound.restart(at: time)
            }
        }
        if first == nil, sound == nil {
            throw PlaybackError(.damaged, "\(item.asset.name): no picture can be decoded")
        }
        subtitles?.restart(at: max(pictureTime, soundTime), from: time)
        subtitles?.read(with: first, until: time)
        lastKeyTime = first?.time
        pictureTime = first.map(end) ?? .zero
        soundTime = time
        store.lock.withLock { state in
            state.pictures = first.map { [$0] } ?? []
            state.sound = []
            state.pictureEnd = pictures == nil || first == nil ? .zero : nil
            state.soundEnd = sound == nil || !order.needsSound ? .zero : nil
            state.landed = (order, time)
        }
        store.changed()
    }

    /// Goes back this much to find the key frame before another.
    private static let step = MediaTime(value: 1, timescale: 1000)

    private func keyFrame(
        before time: MediaTime, _ pictures: PictureReader
    ) throws -> DecodedPicture? {
        try pictures.picture(at: time, toleranceBefore: .positiveInfinity, mayGoOn: false)
    }

    // MARK: decoding

    private func decodePicture() throws {
        guard let pictures, let order else { return }
        var picture: DecodedPicture?
        if order.isForward {
            picture = try pictures.next()
            if let limit = item.endTime, let time = picture?.time, time >= limit { picture = nil }
        } else if let last = lastKeyTime {
            let found = try keyFrame(before: last - Self.step, pictures)
            picture = found.flatMap { $0.time < last ? $0 : nil }
        }
        if let picture {
            lastKeyTime = picture.time
            pictureTime = max(pictureTime, end(of: picture))
        }
        subtitles?.read(with: picture, until: pictureTime)
        store.lock.withLock { state in
            if let picture {
                state.pictures.append(picture)
            } else {
                state.pictureEnd = limited(pictureTime)
            }
        }
        store.changed()
    }

    /// The time of the last key frame that was decoded backwards.
    private var lastKeyTime: MediaTime?

    private func end(of picture: DecodedPicture) -> MediaTime {
        if picture.duration > .zero { return picture.time + picture.duration }
        let rate = tracks.picture?.framesPerSecond ?? 25
        return picture.time + MediaTime(nanoseconds: Int64(1e9 / max(rate, 1)))
    }

    private func decodeSound() throws {
        guard let sound else { return }
        var next = try sound.read()
        if let limit = item.endTime, let found = next, found.end(sound.format) > limit {
            next = found.keeping(before: limit, sound.format)
        }
        if let next { soundTime = next.end(sound.format) }
        subtitles?.read(with: nil, until: soundTime)
        store.lock.withLock { state in
            if let next {
                state.sound.append(next)
            } else {
                state.soundEnd = limited(soundTime)
            }
        }
        store.changed()
    }

    private func limited(_ time: MediaTime) -> MediaTime {
        item.endTime.map { min($0, time) } ?? time
    }

    /// Ends the tracks here. What is decoded is still played.
    private func fail(_ error: any Error) {
        let (pictureEnd, soundEnd) = (limited(pictureTime), limited(soundTime))
        store.lock.withLock { state in
            state.failure = PlaybackError(item.asset.name, error)
            state.pictureEnd = state.pictureEnd ?? pictureEnd
            state.soundEnd = state.soundEnd ?? soundEnd
        }
        store.changed()
    }
}

extension DecodedSound {
    /// Returns the part before an instant; `nil` if there is none.
    fileprivate func keeping(before end: MediaTime, _ format: AudioFormat) -> DecodedSound? {
        let count = (end - time).converted(toTimescale: Int32(format.sampleRate)).value
        if count <= 0 { return nil }
        return DecodedSound(
            time: time, samples: Array(samples.prefix(Int(count) * format.channels)))
    }
}
