// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// A running board whose events a test awaits.
final class BoardHarness: Sendable {
    let board: ButtonBoard
    private let events: AsyncStream<ControlEvent>
    private let recognized: AsyncStream<GestureEvent>
    private let end: @Sendable () -> Void

    init(
        _ buttons: [ButtonConfiguration], _ hardware: any ControlHardware,
        _ repertoire: GestureRepertoire = GestureRepertoire()
    ) throws {
        let (events, event) = AsyncStream<ControlEvent>.makeStream()
        let (recognized, gesture) = AsyncStream<GestureEvent>.makeStream()
        self.events = events
        self.recognized = recognized
        board = try ButtonBoard(
            buttons, hardware: hardware, repertoire: repertoire,
            handler: {
                event.yield($0)
                return nil
            }, recognized: { gesture.yield($0) })
        end = { event.finish() }
        board.start()
    }

    /// Returns the remaining events of a stopped board.
    func everything() async -> [ControlEvent] {
        end()
        var all: [ControlEvent] = []
        for await event in events { all.append(event) }
        return all
    }

    /// Returns the next press or release, or the next event of `phase` if that is given.
    func next(_ phase: ControlEvent.Phase? = nil) async -> ControlEvent? {
        for await event in events {
            if let phase, event.phase != phase { continue }
            if phase == nil, [.edge, .noise].contains(event.phase) { continue }
            return event
        }
        return nil
    }

    func nextGesture() async -> GestureEvent? {
        var iterator = recognized.makeAsyncIterator()
        return await iterator.next()
    }

    /// Returns the next press and its release.
    func gesture() async throws -> (press: ControlEvent, release: ControlEvent) {
        let press = try #require(await next())
        let release = try #require(await next())
        #expect(press.phase == .press && release.phase == .release)
        #expect(press.name == release.name)
        return (press, release)
    }

    func statistics(_ name: String) -> ButtonStatistics? {
        board.statistics.first { $0.name == name }
    }

    /// Waits until the board has published this state, which it does after it has seen the test's
    /// action.
    func reaches(_ state: ButtonStatistics.State, _ name: String) async throws {
        try await waitUntil { statistics(name)?.state == state }
    }
}

extension ButtonConfiguration {
    static func line(
        _ name: String, _ line: String, chip: String = "chip", debounce: Int = 20,
        activeLow: Bool = true
    ) -> ButtonConfiguration {
        ButtonConfiguration(
            name: name, source: .line(chip: chip, line: line), activeLow: activeLow,
            debounceMilliseconds: debounce)
    }

    static func key(
        _ name: String, _ key: String, device: String? = nil, debounce: Int = 20
    ) -> ButtonConfiguration {
        ButtonConfiguration(
            name: name, source: .key(name: key, device: device), debounceMilliseconds: debounce)
    }
}
