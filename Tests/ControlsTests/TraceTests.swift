// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import Foundation
import Media
import Testing

/// Plays edges as a kernel delivered them through the debouncers into the recognizer, as the button
/// thread does.
///
/// A `Traces/*.trace` file holds a description; `expect` with the gestures that the trace must
/// give, each as `BUTTON.gesture@N`, where N is the number of the first edge and `.end` after the
/// gesture marks the end of a hold; `hold BUTTON` for a button with a hold instead of double and
/// long presses; and one line per edge: nanoseconds, button, level.
@Suite("Recorded traces")
struct TraceTests {
    private struct Trace {
        var expected: [String] = []
        /// The buttons that can be held.
        var holds: [String] = []
        var edges: [(time: Int64, button: String, isActive: Bool)] = []

        init(_ text: String) throws {
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                let words = line.split(separator: " ").map(String.init)
                if words[0] == "expect" {
                    expected = words.dropFirst().filter { $0 != "nothing" }
                } else if words[0] == "hold" {
                    holds = Array(words.dropFirst())
                } else {
                    edges.append(
                        (try #require(Int64(words[0])), words[1], words[2] == "1"))
                }
            }
        }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Traces")

    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".trace") }.sorted()
    }

    private func repertoire(_ trace: Trace) -> GestureRepertoire {
        var gestures: [String: Set<Gesture>] = ["left": [.doublePress, .longPress]]
        for button in trace.holds { gestures[button] = [.hold] }
        return GestureRepertoire(
            gestures: gestures, chords: ["left+right": ["left", "right"]], chord: 500_000_000)
    }

    private func play(_ trace: Trace) -> [GestureEvent] {
        var contacts = Dictionary(
            uniqueKeysWithValues: Set(trace.edges.map(\.button)).map {
                ($0, Debouncer(debounce: 20_000_000, shortest: 3_000_000, level: false, at: 0))
            })
        var levels: [String: Bool] = [:]
        var recognizer = GestureRecognizer(repertoire(trace))
        var told: [GestureEvent] = []
        func tell(_ outcome: Debouncer.Outcome, _ button: String) {
            let events: [(Int64?, ControlEvent.Phase)] = [
                (outcome.released, .release), (outcome.rejected, .noise),
                (outcome.touched, .edge), (outcome.pressed, .press),
            ]
            for (time, phase) in events {
                guard let time else { continue }
                told += recognizer.handle(
                    ControlEvent(name: button, phase: phase, timestamp: time))
            }
        }
        func pass(until time: Int64) {
            while true {
                let next = contacts.compactMap { button, contact in
                    contact.nextDeadline.map { ($0, button) }
                }.min { $0 < $1 }
                guard let (deadline, button) = next, deadline < time else { break }
                told += recognizer.advance(to: deadline)
                tell(
                    contacts[button]?.settle(level: levels[button] ?? false, at: deadline)
                        ?? Debouncer.Outcome(), button)
            }
            told += recognizer.advance(to: time)
        }
        for edge in trace.edges {
            pass(until: edge.time)
            levels[edge.button] = edge.isActive
            tell(
                contacts[edge.button]?.edge(edge.isActive, at: edge.time) ?? Debouncer.Outcome(),
                edge.button)
        }
        pass(until: (trace.edges.last?.time ?? 0) + 5_000_000_000)
        return told
    }

    @Test(
        "a recorded trace gives the person's gestures at their first edges",
        arguments: try names())
    func trace(_ name: String) throws {
        let text = try String(
            contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        let trace = try Trace(text)
        let told = play(trace).map { gesture in
            let line = trace.edges.firstIndex { $0.time == gesture.moment }.map { $0 + 1 } ?? 0
            let end = gesture.phase == .ended ? ".end" : ""
            return "\(gesture.name).\(gesture.gesture)\(end)@\(line)"
        }
        #expect(told == trace.expected)
        #expect(trace.edges.count > 0)
    }

    @Test("there are at least 12 traces")
    func control() throws { #expect(try Self.names().count >= 12) }
}
