// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import FoundationEssentials
internal import LinuxIO
internal import Media
internal import Network
internal import Synchronization

/// Loads the segments of a rendition's texts on a thread of its own, half a minute ahead of what is
/// played.
final class SubtitleStream: Sendable {
    let timeline: SubtitleTimeline
    private let store: Store

    /// The state that the thread and the reader share.
    fileprivate final class Store: Sendable {
        /// The time of what is being read.
        let position = Mutex(MediaTime.zero)
        let wake: WakeSignal
        let stop: MediaStop

        init() throws(SystemCallError) { (wake, stop) = (try WakeSignal(), try MediaStop()) }
    }

    /// Begins to load.
    /// - Parameters:
    ///   - origin: The stream's time at its beginning.
    ///   - loaded: Told after each segment, and of a failure, after which other segments may
    ///     follow. Called on the thread.
    init(
        _ rendition: SubtitleRendition, _ loader: ResourceLoader, origin: MediaTime,
        loaded: @escaping @Sendable ((any Error)?) -> Void
    ) throws(SystemCallError) {
        let store = try Store()
        let poller = try Poller.watching(store.wake)
        try poller.add(store.stop.signal, tag: 1)
        let timeline = SubtitleTimeline(.plain)
        (self.store, self.timeline) = (store, timeline)
        _ = NamedThread("subtitle-stream") {
            let session = RemoteSession(loader, store.stop)
            var worker = SubtitleStreamWorker(rendition, session, timeline, origin)
            worker.run(store, poller, loaded)
        }
    }

    deinit { store.stop.set() }

    /// Tells what is being read.
    func follow(_ time: MediaTime) {
        let isNew = store.position.withLock { position in
            guard time < position || time > position + Self.step else { return false }
            position = time
            return true
        }
        if isNew { store.wake.signal() }
    }

    /// Smaller steps need nothing.
    private static let step = MediaTime(value: 1, timescale: 1)
}

/// The thread of a ``SubtitleStream``.
private struct SubtitleStreamWorker {
    /// So much is loaded before it is needed.
    private static let ahead = MediaTime(value: 30, timescale: 1)
    /// The segments of a live stream that are loaded first.
    private static let liveSegments = 3
    private static let longestPause: Int32 = 10_000

    private let rendition: SubtitleRendition
    private let session: RemoteSession
    private let timeline: SubtitleTimeline
    private let origin: MediaTime
    /// The numbers of the segments that were loaded.
    private var loaded: Set<Int> = []

    init(
        _ rendition: SubtitleRendition, _ session: RemoteSession, _ timeline: SubtitleTimeline,
        _ origin: MediaTime
    ) {
        (self.rendition, self.session) = (rendition, session)
        (self.timeline, self.origin) = (timeline, origin)
    }

    mutating func run(
        _ store: SubtitleStream.Store, _ poller: borrowing Poller,
        _ tell: ((any Error)?) -> Void
    ) {
        var playlist: MediaPlaylist?
        while !store.stop.isSet {
            do {
                if playlist?.isEnded != true { playlist = try load() }
                if let playlist, let next = next(playlist, store.position.withLock { $0 }) {
                    loaded.insert(next.number)
                    try read(next, store.stop)
                    tell(nil)
                    continue
                }
            } catch is CancellationError {
                return
            } catch {
                tell(error)
                if playlist == nil { return }
            }
            let isLive = playlist?.isEnded == false
            _ = poller.wait(milliseconds: isLive ? pause(playlist) : -1)
        }
    }

    /// Returns how long a live stream's playlist stays as it is, in milliseconds.
    private func pause(_ playlist: MediaPlaylist?) -> Int32 {
        let last = playlist?.segments.last?.duration ?? .zero
        return max(
            min(
                Int32(clamping: last.converted(toTimescale: 1000).value) / 2,
                Self.longestPause), 500)
    }

    private func load() throws -> MediaPlaylist {
        let source = try RemoteSource(rendition.url, isPatient: true, session)
        guard let playlist = MediaPlaylist(try source.playlist()) else {
            throw PlaybackError(.unsupported, "\(rendition.url) is no playlist")
        }
        return playlist
    }

    /// Returns the segment to load next; `nil` if there is time.
    private mutating func next(
        _ playlist: MediaPlaylist, _ position: MediaTime
    ) -> MediaPlaylist.Segment? {
        if playlist.isEnded {
            return playlist.segments.first {
                !loaded.contains($0.number) && $0.end > position
                    && $0.start < position + Self.ahead
            }
        }
        loaded.formIntersection(playlist.segments.map(\.number))
        return playlist.segments.suffix(Self.liveSegments).first { !loaded.contains($0.number) }
    }

    private func read(_ segment: MediaPlaylist.Segment, _ stop: MediaStop) throws {
        let source = try RemoteSource(segment.url, isPatient: true, session)
        let bytes = try source.contents()
        let map = TimestampMap(
            String(decoding: bytes.prefix(TimestampMap.mostBytes), as: UTF8.self))
        let offset = map?.offset(from: origin) ?? .zero
        for event in try SubtitleFile.texts(bytes, segment.url, stop).events {
            timeline.add(event.moved(by: offset))
        }
    }
}
