// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO
internal import Media
internal import Synchronization

/// Decodes an item ahead of its player, on a thread of its own: a few pictures and half a second of
/// sound.
final class MediaFeed: Sendable {
    /// The place where the player wants to go on.
    struct Order: Sendable {
        let number: Int
        let time: MediaTime
        /// How much earlier a key frame may be that is as good.
        var tolerance = MediaTime.zero
        /// Whether pictures come in the order of their times. Otherwise only key frames come, the
        /// last one first.
        var isForward = true
        /// Whether the sound goes on there, too.
        var needsSound = true
        /// Whether the item is opened anew, because another variant is wanted.
        var reopens = false
    }

    /// The state that the thread of the feed and the player share.
    final class Store: Sendable {
        let lock: Mutex<State>
        let wake: WakeSignal
        /// Ends a read that waits.
        let stop: MediaStop
        let changed: @Sendable () -> Void

        init(
            _ start: MediaTime, _ changed: @escaping @Sendable () -> Void
        ) throws(SystemCallError) {
            lock = Mutex(State(order: Order(number: 0, time: start)))
            (wake, stop) = (try WakeSignal(), try MediaStop())
            self.changed = changed
        }
    }

    struct State: Sendable {
        var order: Order
        /// The order whose first picture or sound is decoded, and the time that it has led to.
        var landed: (order: Order, time: MediaTime)?
        var pictures: [DecodedPicture] = []
        var sound: [DecodedSound] = []
        /// The tracks that are decoded, once the item is open.
        var tracks: (picture: MediaTrack?, sound: MediaTrack?)?
        /// The times at which the tracks end, once everything before them is decoded.
        var pictureEnd, soundEnd: MediaTime?
        var failure: PlaybackError?
        var reader: MediaReader?
        var subtitles: SubtitleTimeline?
        /// Why there are no subtitles although some are chosen.
        var subtitleFailure: PlaybackError?
        var isEnding = false
    }

    let item: PlayerItem
    private let store: Store

    /// Opens the item on the feed's thread, and decodes its beginning.
    /// - Parameters:
    ///   - format: The format of the sound.
    ///   - isHeard: Whether there is a device for sound. Without one, sound is only decoded where
    ///     it is all that there is, so that it ends in time.
    ///   - changed: Called on the feed's thread when there is something new.
    init(
        _ item: PlayerItem, sound format: AudioFormat, isHeard: Bool,
        _ changed: @escaping @Sendable () -> Void
    ) throws(SystemCallError) {
        self.item = item
        let store = try Store(item.startTime, changed)
        let poller = try Poller.watching(store.wake)
        self.store = store
        item.observeSelections { store.wake.signal() }
        _ = NamedThread("playback-feed") {
            FeedWorker(item, format, isHeard: isHeard, store).run { _ = poller.wait() }
        }
    }

    deinit {
        item.observeSelections(nil)
        store.lock.withLock { $0.isEnding = true }
        store.stop.set()
        store.wake.signal()
    }

    private func change<Result: Sendable>(
        _ body: (inout sending State) -> sending Result
    ) -> sending Result {
        defer { store.wake.signal() }
        return store.lock.withLock(body)
    }

    // MARK: orders

    /// Goes to another place. Pictures of the present one stay until the first there is decoded.
    func go(_ order: Order) { change { $0.order = order } }

    /// The last order that was fulfilled, and the time that it has led to; `nil` before the item is
    /// open.
    var landed: (order: Order, time: MediaTime)? { store.lock.withLock { $0.landed } }

    /// The reason why nothing more comes.
    var failure: PlaybackError? { store.lock.withLock { $0.failure } }

    /// The tracks that are decoded; `nil` before the item is open.
    var tracks: (picture: MediaTrack?, sound: MediaTrack?)? { store.lock.withLock { $0.tracks } }

    /// Whether the next bytes will come as fast as they are played.
    var isLikelyToKeepUp: Bool { store.lock.withLock { $0.reader }?.isLikelyToKeepUp ?? true }

    /// Chooses a smaller variant for the next opening; returns whether there is one.
    func reduce() -> Bool { choose(\.lowerBitRate) }

    /// Chooses a larger variant for the next opening; returns whether there is one that the network
    /// can carry.
    func grow() -> Bool { choose(\.higherBitRate) }

    private func choose(_ bitRate: (MediaReader) -> Double?) -> Bool {
        guard let reader = store.lock.withLock({ $0.reader }), let rate = bitRate(reader) else {
            return false
        }
        item.noteCarried(rate)
        return true
    }

    /// Whether the player can go to other places.
    var isSeekable: Bool { store.lock.withLock { $0.reader }?.isSeekable ?? true }

    // MARK: pictures

    /// Removes the pictures that are due, and returns the last of them.
    /// - Parameter shown: The time of the picture before.
    func takePicture(
        due time: MediaTime, after shown: MediaTime
    ) -> (picture: DecodedPicture, skipped: Int)? {
        let taken = store.lock.withLock { state -> ArraySlice<DecodedPicture> in
            var (shown, count) = (shown, 0)
            for picture in state.pictures {
                let isForward = state.landed?.order.isForward != false
                // Backwards, a picture is shown while the time is not before it.
                guard isForward ? picture.time <= time : shown > time else { break }
                shown = picture.time
                count += 1
            }
            defer { state.pictures.removeFirst(count) }
            return state.pictures.prefix(count)
        }
        guard let last = taken.last else { return nil }
        store.wake.signal()
        return (last, taken.count - 1)
    }

    /// Removes the first picture after an order.
    func takeFirstPicture() -> DecodedPicture? {
        change { $0.pictures.isEmpty ? nil : $0.pictures.removeFirst() }
    }

    /// The next picture; `nil` if none is decoded.
    var nextPicture: DecodedPicture? { store.lock.withLock { $0.pictures.first } }

    // MARK: sound

    /// Removes the next sound; `nil` if none is decoded.
    func takeSound() -> DecodedSound? {
        change { $0.sound.isEmpty ? nil : $0.sound.removeFirst() }
    }

    /// Returns sound that was taken and not heard.
    func putBack(_ sound: DecodedSound) { change { $0.sound.insert(sound, at: 0) } }

    /// Removes the sound before an instant.
    func dropSound(before time: MediaTime, _ format: AudioFormat) {
        let drops = store.lock.withLock { state in
            guard let first = state.sound.first, first.time < time else { return false }
            while let first = state.sound.first {
                if let rest = first.dropping(before: time, format) {
                    state.sound[0] = rest
                    break
                }
                state.sound.removeFirst()
            }
            return true
        }
        if drops { store.wake.signal() }
    }

    /// Whether there is sound, and not all of it was taken.
    var hasSoundLeft: Bool {
        store.lock.withLock { state in
            guard state.tracks?.sound != nil, let landed = state.landed else { return false }
            return !landed.order.needsSound || state.soundEnd == nil || !state.sound.isEmpty
        }
    }

    // MARK: subtitles

    /// The chosen subtitles; `nil` for none, and before the item is open.
    var subtitles: SubtitleTimeline? { store.lock.withLock { $0.subtitles } }

    /// Why there are no subtitles although some are chosen; once.
    func takeSubtitleFailure() -> PlaybackError? {
        store.lock.withLock { $0.subtitleFailure.take() }
    }

    // MARK: progress

    /// Whether enough is decoded to begin.
    func isPrimed(withSound: Bool) -> Bool {
        store.lock.withLock { state in
            guard let tracks = state.tracks else { return false }
            let hasPicture =
                tracks.picture == nil || state.pictureEnd != nil || !state.pictures.isEmpty
            let hasSound =
                !withSound || tracks.sound == nil || state.soundEnd != nil
                || state.soundSamples >= FeedWorker.soundAhead / 2
            return hasPicture && hasSound
        }
    }

    /// The time at which the last picture and the last sound end; `nil` before it is known.
    var end: MediaTime? {
        store.lock.withLock { state in
            guard let picture = state.pictureEnd, let sound = state.soundEnd else { return nil }
            return max(picture, sound)
        }
    }

    /// Since when the thread waits for the medium or the network, in nanoseconds of
    /// `CLOCK_MONOTONIC`; `nil` if it does not.
    var readingSince: Int64? { store.lock.withLock { $0.reader?.readingSince } }
}

extension MediaFeed.State {
    /// The waiting samples of all channels.
    var soundSamples: Int { sound.reduce(0) { $0 + $1.samples.count } }
}
