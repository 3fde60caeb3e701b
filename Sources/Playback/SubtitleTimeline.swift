// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media
internal import Synchronization

/// The subtitles of an item, as far as they were read. Any thread.
final class SubtitleTimeline: Sendable {
    /// What is to be seen from one change to the next.
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

    /// The most events and bytes that are kept: those of a long film. The earliest ones go first.
    private static let mostEvents = 5000
    private static let mostBytes = 64 << 20

    let script: SubtitleScript
    private let state = Mutex(State())
    private let latest = Atomic<Int>(0)

    private struct State {
        /// The events in the order of their times.
        var events: [SubtitleEvent] = []
        var bytes = 0
    }

    init(_ script: SubtitleScript) { self.script = script }

    /// Grows with each event.
    var revision: Int { latest.load(ordering: .acquiring) }

    /// Adds an event. One that is there already, because of a seek, is not added again.
    func add(_ event: SubtitleEvent) {
        state.withLock { state in
            let index = state.events.lastIndex { $0.start <= event.start }.map { $0 + 1 } ?? 0
            if state.events[..<index].reversed().prefix(while: { $0.start == event.start })
                .contains(event)
            {
                return
            }
            state.events.insert(event, at: index)
            state.bytes += event.bytes
            while state.events.count > Self.mostEvents || state.bytes > Self.mostBytes {
                state.bytes -= state.events.removeFirst().bytes
            }
        }
        latest.add(1, ordering: .releasing)
    }

    /// Forgets the events from an instant on, because others may come instead.
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
