// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import Media
import TestSupport
import Testing

private let millisecond: Int64 = 1_000_000

@Suite("GestureRecognizer")
struct GestureRecognizerTests {
    private let all = GestureRepertoire(
        gestures: [
            "long": [.longPress], "double": [.doublePress], "both": [.longPress, .doublePress],
            "hold": [.hold],
        ],
        chords: ["left+right": ["left", "right"], "left+plain": ["left", "plain"]])

    @Test("a button without other gestures reports a press at once")
    func plain() {
        var hand = Hand(GestureRepertoire())
        hand.press("shutter", at: 5)
        #expect(hand.told == [GestureEvent(name: "shutter", gesture: .press, moment: 5)])
        #expect(hand.nextDeadline == nil)
        hand.release("shutter", at: 6)
        #expect(hand.told.count == 1)
    }

    @Test("a long press is reported while held, with its first edge; a short one is a press")
    func longPress() {
        var hand = Hand(all)
        hand.press("long", at: 100)
        #expect(hand.told.isEmpty && hand.nextDeadline == 100 + 800 * millisecond)
        hand.wait(until: 800 * millisecond + 100)
        #expect(hand.told == [GestureEvent(name: "long", gesture: .longPress, moment: 100)])
        hand.release("long", at: 3000 * millisecond)
        hand.press("long", at: 4000 * millisecond)
        hand.release("long", at: 4100 * millisecond)
        #expect(hand.kinds == [.longPress, .press])
        #expect(hand.told.last?.moment == 4000 * millisecond)
    }

    @Test("a double press is reported at its second press, a single one after the wait")
    func doublePress() {
        var hand = Hand(all)
        hand.tap("double", at: 1000 * millisecond)
        #expect(hand.told.isEmpty)
        hand.press("double", at: 1399 * millisecond)
        #expect(hand.kinds == [.doublePress])
        #expect(hand.told[0].moment == 1000 * millisecond)
        #expect(hand.told[0].presses.map(\.timestamp) == [1000 * millisecond, 1399 * millisecond])
        hand.release("double", at: 1450 * millisecond)
        hand.tap("double", at: 2000 * millisecond)
        hand.wait(until: 2399 * millisecond)
        #expect(hand.kinds == [.doublePress])
        hand.tap("double", at: 2400 * millisecond)
        #expect(hand.kinds == [.doublePress, .press])
        hand.wait(until: 3000 * millisecond)
        #expect(hand.kinds == [.doublePress, .press, .press])
    }

    @Test("a button with long and double press gives three gestures")
    func both() {
        var hand = Hand(all)
        hand.tap("both", at: 0)
        hand.wait(until: 500 * millisecond)
        hand.press("both", at: 1000 * millisecond)
        hand.wait(until: 1900 * millisecond)
        hand.release("both", at: 1900 * millisecond)
        hand.tap("both", at: 3000 * millisecond)
        hand.tap("both", at: 3200 * millisecond)
        #expect(hand.kinds == [.press, .longPress, .doublePress])
    }

    @Test("a hold begins after the button has been down for a while and ends with its release")
    func hold() {
        var hand = Hand(all)
        hand.press("hold", at: 0)
        hand.wait(until: 5000 * millisecond)
        hand.release("hold", at: 5000 * millisecond)
        #expect(hand.kinds == [.hold, .hold])
        #expect(hand.told.map(\.phase) == [.began, .ended])
        hand.tap("hold", at: 6000 * millisecond)
        #expect(hand.kinds == [.hold, .hold, .press])
    }

    @Test("buttons pressed together in any order are a chord; too far apart they are presses")
    func chord() {
        for (first, second) in [("left", "right"), ("right", "left")] {
            var hand = Hand(all)
            hand.press(first, at: 0)
            #expect(hand.told.isEmpty)
            hand.press(second, at: 99 * millisecond)
            #expect(
                hand.told == [
                    GestureEvent(
                        name: "left+right", gesture: .press,
                        presses: [(first, 0), (second, 99 * millisecond)].map {
                            ControlEvent(name: $0, phase: .press, timestamp: $1)
                        })
                ])
            hand.release(first, at: 300 * millisecond)
            hand.release(second, at: 310 * millisecond)
            hand.press(first, at: 1000 * millisecond)
            hand.press(second, at: 1101 * millisecond)
            hand.wait(until: 2000 * millisecond)
            #expect(hand.told.map(\.name) == ["left+right", first, second])
        }
    }

    @Test("a chord's button that is released before the other comes is a press")
    func brokenChord() {
        var hand = Hand(all)
        hand.tap("left", at: 0, for: 30 * millisecond)
        hand.tap("right", at: 50 * millisecond, for: 30 * millisecond)
        #expect(hand.told.map(\.name) == ["left", "right"])
    }

    @Test("the next press makes up for a lost release")
    func lostRelease() {
        for button in ["plain", "long", "double", "both", "hold"] {
            var hand = Hand(all)
            hand.press(button, at: 0)
            hand.wait(until: 100 * millisecond)
            hand.press(button, at: 5000 * millisecond)
            hand.release(button, at: 5100 * millisecond)
            hand.wait(until: 9000 * millisecond)
            #expect(hand.accounted == hand.pressed, "\(button)")
        }
    }

    @Test("a cancelled undecided press gives no gesture, and a cancelled hold ends")
    func cancelled() {
        var recognizer = GestureRecognizer(all)
        _ = recognizer.handle(ControlEvent(name: "long", phase: .press, timestamp: 5))
        let undecided = recognizer.cancel("long")
        #expect(undecided.gestures.isEmpty && undecided.presses.map(\.timestamp) == [5])
        #expect(recognizer.nextDeadline == nil)
        #expect(recognizer.handle(ControlEvent(name: "long", phase: .release, timestamp: 9)) == [])
        _ = recognizer.handle(ControlEvent(name: "hold", phase: .press, timestamp: 10))
        #expect(recognizer.advance(to: 10 + 800 * millisecond).map(\.gesture) == [.hold])
        let held = recognizer.cancel("hold")
        #expect(held.gestures.map(\.phase) == [.ended] && held.presses.isEmpty)
    }

    @Test("a release without a press, noise and edges give no gesture")
    func nothing() {
        var hand = Hand(all)
        hand.release("long", at: 1)
        hand.send(.edge, "long", at: 2)
        hand.send(.noise, "long", at: 2)
        #expect(hand.told.isEmpty && hand.nextDeadline == nil)
    }

    @Test("a late caller gets the same gestures in the same order as a punctual one")
    func lateOwner() {
        for seed in 0..<500 as Range<UInt64> {
            var random = Seeded(seed)
            let events = randomEvents(&random)
            var punctual = Hand(all)
            var late = Hand(all)
            for event in events {
                punctual.wait(until: event.timestamp)
                punctual.send(event.phase, event.name, at: event.timestamp)
                late.send(event.phase, event.name, at: event.timestamp)
            }
            punctual.wait(until: .max / 2)
            late.wait(until: .max / 2)
            #expect(punctual.told == late.told, "seed \(seed)")
        }
    }

    @Test("each random press belongs to one gesture, each hold ends, and none is late")
    func randomHands() {
        var seen: [Gesture: Int] = [:]
        var chords = 0
        for seed in 0..<2000 as Range<UInt64> {
            var random = Seeded(seed)
            var hand = Hand(all)
            for event in randomEvents(&random) {
                hand.wait(until: event.timestamp)
                hand.send(event.phase, event.name, at: event.timestamp)
            }
            hand.releaseAll()
            hand.wait(until: hand.now + 10_000 * millisecond)
            #expect(hand.accounted == hand.pressed, "seed \(seed)")
            #expect(hand.nextDeadline == nil, "seed \(seed)")
            let holds = hand.told.filter { $0.gesture == .hold }
            #expect(
                holds.map(\.phase) == holds.indices.map { $0 % 2 == 0 ? .began : .ended },
                "seed \(seed)")
            #expect(holds.count % 2 == 0, "seed \(seed)")
            for (gesture, time) in zip(hand.told, hand.toldAt) where gesture.phase == .began {
                let last = gesture.presses.map(\.timestamp).max() ?? 0
                #expect(time - last <= all.longestWait, "seed \(seed)")
                seen[gesture.gesture, default: 0] += 1
                if gesture.name.contains("+") { chords += 1 }
            }
        }
        for gesture in Gesture.allCases { #expect(seen[gesture, default: 0] > 100, "\(gesture)") }
        #expect(chords > 500)
    }
}

extension GestureEvent {
    /// A gesture that has begun, of one press.
    init(name: String, gesture: Gesture, moment: Int64) {
        let press = ControlEvent(name: name, phase: .press, timestamp: moment)
        self.init(name: name, gesture: gesture, presses: [press])
    }
}

/// Returns presses and releases of seven buttons, alternating for each.
private func randomEvents(_ random: inout Seeded) -> [ControlEvent] {
    let buttons = ["plain", "long", "double", "both", "hold", "left", "right"]
    var down: Set<String> = []
    var time: Int64 = 0
    return (0..<Int.random(in: 1...80, using: &random)).map { _ in
        let gaps = [0...20, 80...120, 390...410, 790...810, 0...2000] as [ClosedRange<Int64>]
        let gap = gaps[Int.random(in: 0..<gaps.count, using: &random)]
        time += Int64.random(in: gap, using: &random) * millisecond + 1
        let button = buttons[Int.random(in: 0..<buttons.count, using: &random)]
        let isDown = down.contains(button)
        if isDown { down.remove(button) } else { down.insert(button) }
        return ControlEvent(name: button, phase: isDown ? .release : .press, timestamp: time)
    }
}

/// A person at the buttons, and the gestures recognised.
private struct Hand {
    private var recognizer: GestureRecognizer
    private(set) var told: [GestureEvent] = []
    private(set) var toldAt: [Int64] = []
    private(set) var now: Int64 = 0
    /// The time of every press.
    private(set) var pressed: [Int64] = []
    private var down: Set<String> = []

    init(_ repertoire: GestureRepertoire) { recognizer = GestureRecognizer(repertoire) }

    var kinds: [Gesture] { told.map(\.gesture) }
    var nextDeadline: Int64? { recognizer.nextDeadline }
    /// The presses of all gestures, as often as they occur.
    var accounted: [Int64] {
        told.filter { $0.phase == .began }.flatMap(\.presses).map(\.timestamp).sorted()
    }

    mutating func send(_ phase: ControlEvent.Phase, _ name: String, at time: Int64) {
        now = time
        if phase == .press {
            pressed.append(time)
            down.insert(name)
        } else if phase == .release {
            down.remove(name)
        }
        note(recognizer.handle(ControlEvent(name: name, phase: phase, timestamp: time)))
    }

    mutating func press(_ name: String, at time: Int64) { send(.press, name, at: time) }
    mutating func release(_ name: String, at time: Int64) { send(.release, name, at: time) }

    mutating func tap(_ name: String, at time: Int64, for length: Int64 = 50_000_000) {
        press(name, at: time)
        release(name, at: time + length)
    }

    mutating func releaseAll() {
        for name in down.sorted() { release(name, at: now + 1) }
    }

    mutating func wait(until time: Int64) {
        while let deadline = recognizer.nextDeadline, deadline < time {
            now = max(now, deadline)
            note(recognizer.advance(to: deadline))
        }
        now = max(now, time)
        note(recognizer.advance(to: time))
    }

    private mutating func note(_ gestures: [GestureEvent]) {
        told += gestures
        toldAt += gestures.map { _ in now }
    }
}
