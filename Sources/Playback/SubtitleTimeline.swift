// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media
internal import Synchronization

/// The subtitles of an item, as far as they were read. Any thread.
final class SubtitleTimeline: Sendable {
    /// The events that are seen from one change to the next.
    struct Scene: Sendable {
        var events: [SubtitleEvent] = []
        /// The time of the last change, and of the next.
        var from = MediaTime.negativeInfinity
        var until = MediaTime.positiveInfinity
        /// The events' revision at the time of asking.
        var revision = 0

        /// Whether it changes while it is shown.
        var isAnimated: Bool { events.contains(where: \.isAnimated) }
    }

    /// The most events and bytes of a track that are kept: those of a long film. The farthest from
    /// the newest go first.
    private static let mostEvents = 5000
    private static let mostBytes = 64 << 20

    let script: SubtitleScript
    private let state = Mutex(State())
    private let isComplete: Bool
    private let latest = Atomic<Int>(0)

    private struct State {
        /// The events in the order of their times.
        var events: [SubtitleEvent] = []
        var bytes = 0
    }

    /// - Parameter isComplete: Whether all events are there from the beginning.
    init(_ script: SubtitleScript, isComplete: Bool = false) {
        (self.script, self.isComplete) = (script, isComplete)
    }

    /// Grows with each event.
    var revision: Int { latest.load(ordering: .acquiring) }

    /// Adds an event. One that is there already, because of a seek, is replaced.
    func add(_ event: SubtitleEvent) {
        state.withLock { state in
            let index = state.events.lastIndex { $0.start <= event.start }.map { $0 + 1 } ?? 0
            let first = state.events[..<index].lastIndex { $0.start < event.start }.map { $0 + 1 }
            for same in (first ?? 0)..<index where state.events[same].isSame(as: event) {
                state.events[same] = event
                return
            }
            state.events.insert(event, at: index)
            state.bytes += event.bytes
            if isComplete { return }
            while state.events.count > Self.mostEvents || state.bytes > Self.mostBytes {
                let isEarly = index < state.events.count / 2
                state.bytes -=
                    (isEarly ? state.events.removeLast() : state.events.removeFirst()).bytes
            }
        }
        latest.add(1, ordering: .releasing)
    }

    /// Ends those events that the next one would have ended, because reading goes on elsewhere.
    /// - Parameter time: Up to here everything was read.
    func close(at time: MediaTime) {
        state.withLock { state in
            for (index, event) in state.events.enumerated() where !event.end.isNumeric {
                let end = min(Self.end(of: index, state.events), max(time, event.start))
                state.events[index] = event.ending(at: end)
            }
        }
        latest.add(1, ordering: .releasing)
    }

    /// Forgets all events, because they come again.
    func removeAll() {
        state.withLock { $0 = State() }
        latest.add(1, ordering: .releasing)
    }

    /// Returns what is to be seen at a time.
    func scene(at time: MediaTime) -> Scene {
        let revision = revision
        return state.withLock { state in
            var scene = Scene(revision: revision)
            for (index, event) in state.events.enumerated() {
                if event.start > time {
                    scene.until = min(scene.until, event.start)
                    break
                }
                let end = event.end.isNumeric ? event.end : Self.end(of: index, state.events)
                scene.from = max(scene.from, end > time ? event.start : end)
                guard end > time else { continue }
                scene.until = min(scene.until, end)
                if !event.isEmpty { scene.events.append(event) }
            }
            return scene
        }
    }

    /// Returns when the next event ends one that has no end of its own.
    private static func end(of index: Int, _ events: [SubtitleEvent]) -> MediaTime {
        events[(index + 1)...].first { $0.start > events[index].start }?.start ?? .positiveInfinity
    }
}
