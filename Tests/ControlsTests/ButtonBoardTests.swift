// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import Glibc
import Input
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

private let millisecond: Int64 = 1_000_000

/// A claim on a frame; the type counts those that are alive.
private final class Claim: Sendable {
    static let living = Atomic<Int>(0)

    init() { Self.living.add(1, ordering: .relaxed) }
    deinit { Self.living.subtract(1, ordering: .relaxed) }
}

@Suite("ButtonBoard on fakes", .timeLimit(.common))
struct ButtonBoardTests {
    let hardware = FakeControlHardware()

    @Test("a press and its release have the times of their edges")
    func gesture() async throws {
        let line = hardware.plug(line: "chip:1")
        let harness = try BoardHarness([.line("shutter", "1")], hardware)
        try await harness.reaches(.ready, "shutter")
        let now = Clock.monotonic
        line.set(true, at: now - 200 * millisecond)
        line.set(false, at: now - 100 * millisecond)
        let gesture = try await harness.gesture()
        #expect(gesture.press.name == "shutter")
        #expect(gesture.press.timestamp == now - 200 * millisecond)
        #expect(gesture.release.timestamp == now - 100 * millisecond)
        await harness.board.stop()
        #expect(harness.statistics("shutter")?.presses == 1)
    }

    @Test("a press is reported at its first edge, while the button is still down")
    func leadingEdge() async throws {
        let line = hardware.plug(line: "chip:1")
        let harness = try BoardHarness([.line("shutter", "1", debounce: 1000)], hardware)
        try await harness.reaches(.ready, "shutter")
        line.set(true, at: Clock.monotonic)
        #expect(await harness.next()?.phase == .press)
        try await harness.reaches(.pressed, "shutter")
        await harness.board.stop()
    }

    @Test("a bouncing press with lost edges is one press, and its bounces are counted")
    func bounces() async throws {
        let line = hardware.plug(line: "chip:1")
        let harness = try BoardHarness([.line("shutter", "1", debounce: 50)], hardware)
        try await harness.reaches(.ready, "shutter")
        let now = Clock.monotonic
        line.toggle(at: (0..<17).map { now - (20 - $0) * millisecond }, level: false)
        let gesture = try await harness.gesture()
        #expect(gesture.press.timestamp == now - 20 * millisecond)
        try await harness.reaches(.ready, "shutter")
        await harness.board.stop()
        #expect(harness.statistics("shutter")?.presses == 1)
        #expect(harness.statistics("shutter")?.bounces == 15)
    }

    @Test("a pulse of 1 ms is an edge and noise but no press; the next press counts")
    func glitch() async throws {
        let line = hardware.plug(line: "chip:1")
        let harness = try BoardHarness([.line("shutter", "1")], hardware)
        try await harness.reaches(.ready, "shutter")
        let now = Clock.monotonic
        line.toggle(at: [now - 100 * millisecond, now - 99 * millisecond])
        #expect(await harness.next(.edge)?.timestamp == now - 100 * millisecond)
        #expect(await harness.next(.noise)?.timestamp == now - 100 * millisecond)
        #expect(harness.statistics("shutter")?.presses == 0)
        line.set(true, at: Clock.monotonic)
        #expect(await harness.next()?.phase == .press)
        #expect(await harness.nextGesture()?.gesture == .press)
        await harness.board.stop()
    }

    @Test("a button held too long is stuck and released; after its release it works again")
    func stuck() async throws {
        let line = hardware.plug(line: "chip:1")
        var button = ButtonConfiguration.line("shutter", "1")
        button.stuckSeconds = 1
        let harness = try BoardHarness([button], hardware)
        try await harness.reaches(.ready, "shutter")
        line.set(true, at: Clock.monotonic)
        #expect(await harness.next()?.phase == .press)
        try await harness.reaches(.stuck, "shutter")
        #expect(await harness.next()?.phase == .release)
        #expect(harness.statistics("shutter")?.problem.contains("next: ") == true)
        line.set(false, at: Clock.monotonic)
        try await harness.reaches(.ready, "shutter")
        #expect(harness.statistics("shutter")?.problem == "")
        line.set(true, at: Clock.monotonic)
        #expect(await harness.next()?.phase == .press)
        await harness.board.stop()
        #expect(harness.statistics("shutter")?.presses == 2)
    }

    @Test("a button that is stuck from the beginning is reported")
    func stuckAtStart() async throws {
        hardware.plug(line: "chip:1").set(true, at: nil)
        var button = ButtonConfiguration.line("shutter", "1")
        button.stuckSeconds = 1
        let harness = try BoardHarness([button], hardware)
        try await harness.reaches(.stuck, "shutter")
        await harness.board.stop()
        #expect(harness.statistics("shutter")?.presses == 0)
    }

    @Test("a noisy line is muted, other buttons work, and it works again when it is quiet")
    func noisy() async throws {
        let line = hardware.plug(line: "chip:1")
        let other = hardware.plug(line: "chip:2")
        let harness = try BoardHarness([.line("shutter", "1"), .line("other", "2")], hardware)
        try await harness.reaches(.ready, "other")
        var muted: ButtonStatistics?
        // The noise continues until the board reports it.
        try await waitUntil {
            let now = Clock.monotonic
            line.toggle(at: (0..<500).map { now - (500 - $0) * millisecond })
            muted = harness.statistics("shutter")
            return muted?.state == .noisy
        }
        #expect(muted?.problem.contains("next: ") == true)
        other.set(true, at: Clock.monotonic)
        while await harness.next()?.name != "other" {}
        try await harness.reaches(.ready, "shutter")
        line.set(true, at: Clock.monotonic)
        while await harness.next(.press)?.name != "shutter" {}
        await harness.board.stop()
    }

    @Test("every edge is followed by a press or noise, even if the button is muted then")
    func answered() async throws {
        let line = hardware.plug(line: "chip:1")
        let harness = try BoardHarness([.line("shutter", "1", debounce: 2)], hardware)
        try await harness.reaches(.ready, "shutter")
        let start = Clock.monotonic - 900 * millisecond
        // More presses than a hand makes, all read before the board handles its commands.
        line.toggle(at: (0..<60).map { start + $0 * 15 * millisecond })
        try await waitUntil { harness.statistics("shutter")?.presses ?? 0 > 0 }
        await harness.board.stop()
        let events = await harness.everything()
        #expect((20..<30).contains(events.count { $0.phase == .press }), "it was not muted")
        var edges: Set<Int64> = []
        for event in events where event.phase != .release {
            if event.phase == .edge {
                edges.insert(event.timestamp)
            } else {
                #expect(edges.remove(event.timestamp) != nil, "\(event)")
            }
        }
        #expect(edges.isEmpty)
    }

    @Test("the reservation of an edge travels with its press; noise and a long hold release it")
    func reservation() async throws {
        let line = hardware.plug(line: "chip:1")
        let reserved = Mutex<[Int64]>([])
        let gestures = Mutex<[GestureEvent]>([])
        let board = try ButtonBoard(
            [.line("shutter", "1")], hardware: hardware,
            repertoire: GestureRepertoire(gestures: ["shutter": [.hold]]),
            handler: { event in
                guard event.phase == .edge else { return nil }
                reserved.withLock { $0.append(event.timestamp) }
                return FrameReservation(Claim())
            }, recognized: { gesture in gestures.withLock { $0.append(gesture) } })
        board.start()
        try await waitUntil { board.statistics[0].state == .ready }
        // A spike is no press.
        let spike = Clock.monotonic - 100 * millisecond
        line.toggle(at: [spike, spike + millisecond])
        try await waitUntil {
            reserved.withLock { !$0.isEmpty } && Claim.living.load(ordering: .relaxed) == 0
        }
        line.set(true, at: Clock.monotonic)
        try await waitUntil { gestures.withLock { !$0.isEmpty } }
        #expect(gestures.withLock { $0[0].presses[0].reservation } != nil)
        // The button is still held, and only the gesture keeps the frame.
        gestures.withLock { $0 = [] }
        #expect(Claim.living.load(ordering: .relaxed) == 0)
        line.set(false, at: Clock.monotonic)
        try await waitUntil { gestures.withLock { !$0.isEmpty } }
        #expect(gestures.withLock { $0[0].phase == .ended && $0[0].presses[0].reservation == nil })
        await board.stop()
        #expect(reserved.withLock(\.count) == 2)
    }

    @Test("real edges give a long press, a hold and a chord")
    func gestures() async throws {
        let lines = ["1", "2"].map { hardware.plug(line: "chip:\($0)") }
        let repertoire = GestureRepertoire(
            gestures: ["a": [.longPress, .doublePress], "b": [.hold]],
            chords: ["a+b": ["a", "b"]], doublePress: 60 * millisecond,
            longPress: 150 * millisecond, chord: 40 * millisecond)
        let harness = try BoardHarness([.line("a", "1"), .line("b", "2")], hardware, repertoire)
        try await harness.reaches(.ready, "b")
        let start = Clock.monotonic
        lines[0].set(true, at: start)
        #expect(
            await harness.nextGesture()
                == GestureEvent(name: "a", gesture: .longPress, moment: start))
        lines[0].set(false, at: Clock.monotonic)
        try await harness.reaches(.ready, "a")
        let hold = Clock.monotonic
        lines[1].set(true, at: hold)
        #expect(
            await harness.nextGesture() == GestureEvent(name: "b", gesture: .hold, moment: hold))
        lines[1].set(false, at: Clock.monotonic)
        #expect(await harness.nextGesture()?.phase == .ended)
        let now = Clock.monotonic
        lines[0].press(with: lines[1], at: now)
        let chord = await harness.nextGesture()
        #expect(chord?.name == "a+b" && chord?.presses.map(\.timestamp) == [now, now])
        await harness.board.stop()
    }

    @Test("a missing line gives its reason, spares the others, and is opened by a rescan")
    func missing() async throws {
        hardware.plug(line: "chip:1")
        hardware.refuse("chip:3", EACCES)
        let harness = try BoardHarness(
            [.line("clip", "2"), .line("other", "3"), .line("shutter", "1")], hardware)
        try await harness.reaches(.ready, "shutter")
        let problem = try #require(harness.statistics("clip")?.problem)
        #expect(problem.contains("chip:2: No such file or directory; next: "))
        #expect(harness.statistics("clip")?.state == .missing)
        #expect(harness.statistics("other")?.problem.contains("Permission denied; next: ") == true)
        let line = hardware.plug(line: "chip:2")
        harness.board.rescan()
        try await harness.reaches(.ready, "clip")
        #expect(harness.statistics("clip")?.problem == "")
        line.set(true, at: Clock.monotonic)
        #expect(await harness.next()?.name == "clip")
        await harness.board.stop()
    }

    @Test("a missing line is found without a rescan")
    func retry() async throws {
        let harness = try BoardHarness([.line("shutter", "1")], hardware)
        try await waitUntil { hardware.attempts > 0 }
        hardware.plug(line: "chip:1")
        try await harness.reaches(.ready, "shutter")
        await harness.board.stop()
    }

    @Test("a line that goes away while pressed is released, and works when it is back")
    func unplugged() async throws {
        let line = hardware.plug(line: "chip:1")
        let harness = try BoardHarness([.line("shutter", "1")], hardware)
        try await harness.reaches(.ready, "shutter")
        line.set(true, at: Clock.monotonic)
        #expect(await harness.next()?.phase == .press)
        hardware.unplug("chip:1")
        #expect(await harness.next()?.phase == .release)
        try await harness.reaches(.missing, "shutter")
        #expect(harness.statistics("shutter")?.problem.contains("No such device") == true)
        let again = hardware.plug(line: "chip:1")
        harness.board.rescan()
        try await harness.reaches(.ready, "shutter")
        again.set(true, at: Clock.monotonic)
        #expect(await harness.next()?.phase == .press)
        await harness.board.stop()
        #expect(harness.statistics("shutter")?.presses == 2)
    }

    @Test("one keyboard serves several buttons; its other keys do nothing")
    func sharedKeyboard() async throws {
        let keyboard = hardware.plug(
            keyboard: "Pad", path: "/dev/input/event5", keys: ["KEY_A", "KEY_B", "KEY_C"])
        let harness = try BoardHarness(
            [
                .key("c", "KEY_C", device: "X"), .key("a", "KEY_A"),
                .key("b", "KEY_B", device: "Pad"),
            ], hardware)
        try await harness.reaches(.ready, "b")
        #expect(harness.statistics("c")?.state == .missing)
        let problem = try #require(harness.statistics("c")?.problem)
        #expect(problem.contains("KEY_C on \"X\", there are \"Pad\""))
        for key in ["KEY_C", "KEY_B", "KEY_A"] {
            let contact = Contact(number: KeyCode(name: key)?.number ?? 0)
            let now = Clock.monotonic
            keyboard.set(true, at: now, contact: contact)
            keyboard.set(false, at: now + 1, contact: contact)
        }
        #expect(await harness.next()?.name == "b")
        #expect(await harness.next()?.name == "a")
        await harness.board.stop()
    }

    @Test("a key without a device works on every keyboard that has it, even a later one")
    func everyKeyboard() async throws {
        let first = hardware.plug(
            keyboard: "One", path: "/dev/input/event1", keys: ["KEY_A"])
        let harness = try BoardHarness([.key("a", "KEY_A")], hardware)
        try await harness.reaches(.ready, "a")
        let second = hardware.plug(
            keyboard: "Two", path: "/dev/input/event2", keys: ["KEY_A"])
        let contact = Contact(number: KeyCode(name: "KEY_A")?.number ?? 0)
        harness.board.rescan()
        var presses = 0
        for keyboard in [first, second] {
            try await waitUntil { keyboard.isOpen }
            let now = Clock.monotonic
            keyboard.set(true, at: now, contact: contact)
            keyboard.set(false, at: now + 1, contact: contact)
            _ = try await harness.gesture()
            presses += 1
        }
        hardware.unplug("/dev/input/event1")
        harness.board.rescan()
        second.set(true, at: Clock.monotonic, contact: contact)
        #expect(await harness.next()?.phase == .press)
        await harness.board.stop()
        #expect(harness.statistics("a")?.presses == presses + 1)
    }

    @Test("`press()` gives a press and a release at its own time for any kind of button")
    func injected() async throws {
        let harness = try BoardHarness(
            [.line("lost", "9"), ButtonConfiguration(name: "panel", source: .virtual)], hardware)
        for name in ["lost", "panel", "panel"] {
            let before = Clock.monotonic
            let command = try harness.board.press(name: name)
            let gesture = try await harness.gesture()
            #expect(gesture.press.name == name)
            #expect((before...Clock.monotonic).contains(gesture.press.timestamp))
            let recognized = try #require(await harness.nextGesture())
            #expect(recognized.command == command && recognized.presses == [gesture.press])
        }
        await harness.board.stop()
        #expect(harness.statistics("panel")?.presses == 2)
        #expect(harness.statistics("panel")?.state == .ready)
        #expect(harness.statistics("lost")?.presses == 1)
    }

    @Test("`press()` refuses an unknown name, listing the known ones, and a stopped board")
    func refusedPress() async throws {
        let harness = try BoardHarness(
            [ButtonConfiguration(name: "shutter", source: .virtual)], hardware)
        let unknown = #expect(throws: ControlsError.self) {
            try harness.board.press(name: "shuter")
        }
        #expect(unknown?.code == .unknownButton && unknown?.message.contains("shutter") == true)
        await harness.board.stop()
        let stopped = #expect(throws: ControlsError.self) {
            try harness.board.press(name: "shutter")
        }
        #expect(stopped?.code == .notRunning)
    }

    @Test("a button has no problem before its hardware has been looked for")
    func unknown() async throws {
        let board = try ButtonBoard([.line("a", "1")], hardware: FakeControlHardware()) { _ in nil }
        #expect(board.statistics.map(\.problem) == [""])
        board.start()
        try await waitUntil { !board.statistics[0].problem.isEmpty }
        #expect(board.statistics[0].state == .missing)
        await board.stop()
    }

    @Test("stop releases the hardware; a second stop or one before start is harmless")
    func stop() async throws {
        let line = hardware.plug(line: "chip:1")
        let harness = try BoardHarness([.line("shutter", "1")], hardware)
        try await harness.reaches(.ready, "shutter")
        #expect(line.isOpen)
        await harness.board.stop()
        #expect(!line.isOpen)
        await harness.board.stop()
        try await ButtonBoard([], hardware: hardware) { _ in nil }.stop()
    }

    @Test("a board with all its hardware does not search for any")
    func quiet() async throws {
        hardware.plug(line: "chip:1")
        let harness = try BoardHarness([.line("shutter", "1")], hardware)
        try await harness.reaches(.ready, "shutter")
        #expect(hardware.attempts == 1)
        try harness.board.press(name: "shutter")
        _ = try await harness.gesture()
        #expect(hardware.attempts == 1)
        await harness.board.stop()
    }

    @Test("an edge of a clock that runs ahead does not make the button deaf")
    func wrongClock() async throws {
        let line = hardware.plug(line: "chip:1")
        let harness = try BoardHarness([.line("shutter", "1", debounce: 5)], hardware)
        try await harness.reaches(.ready, "shutter")
        for _ in 0..<2 {
            line.set(true, at: Clock.wall)
            #expect(await harness.next()?.phase == .press)
            line.set(false, at: Clock.wall)
            #expect(await harness.next()?.phase == .release)
        }
        await harness.board.stop()
    }

    @Test("a duplicate name or an unknown key is refused with the reason")
    func configuration() throws {
        let twins = #expect(throws: ControlsError.self) {
            try ButtonBoard([.line("a", "1"), .line("a", "2")], hardware: hardware) { _ in nil }
        }
        #expect(twins?.code == .duplicateName)
        let key = #expect(throws: ControlsError.self) {
            try ButtonBoard([.key("a", "KEY_ENTRE")], hardware: hardware) { _ in nil }
        }
        #expect(key?.code == .unknownKey && key?.message.contains("KEY_ENTRE") == true)
    }
}

@Suite("OutputLine on fakes", .timeLimit(.common))
struct OutputLineTests {
    let hardware = FakeControlHardware()

    @Test("a lamp is off at first, on when set, and off when its owner ends")
    func lamp() {
        hardware.plug(lamp: "chip:3")
        var lamp: OutputLine? = OutputLine(
            name: "ready lamp", chip: "chip", line: "3", hardware: hardware)
        #expect(lamp?.state == .ready && lamp?.problem == "")
        #expect(hardware.lamp("chip:3") == false)
        lamp?.set(true)
        #expect(hardware.lamp("chip:3") == true)
        lamp = nil
        #expect(hardware.lamp("chip:3") == false)
    }

    @Test("a missing lamp gives its reason, and takes the requested state once it is there")
    func missing() {
        let lamp = OutputLine(name: "flash", chip: "chip", line: "3", hardware: hardware)
        lamp.set(true)
        #expect(lamp.state == .missing)
        #expect(lamp.problem.contains("chip:3: No such file or directory; next: "))
        hardware.plug(lamp: "chip:3")
        lamp.rescan()
        #expect(lamp.state == .ready && lamp.problem == "")
        #expect(hardware.lamp("chip:3") == true)
    }

    @Test("setting a lamp that went away does not search for it; a rescan finds it")
    func unplugged() {
        hardware.plug(lamp: "chip:3")
        let lamp = OutputLine(name: "flash", chip: "chip", line: "3", hardware: hardware)
        hardware.unplug("chip:3")
        lamp.set(true)
        #expect(lamp.state == .missing)
        let attempts = hardware.attempts
        for _ in 0..<10 { lamp.set(true) }
        #expect(hardware.attempts == attempts)
        hardware.plug(lamp: "chip:3")
        lamp.rescan()
        #expect(hardware.lamp("chip:3") == true)
    }

    @Test("a stopped lamp stays off")
    func stopped() {
        hardware.plug(lamp: "chip:3")
        let lamp = OutputLine(name: "flash", chip: "chip", line: "3", hardware: hardware)
        lamp.set(true)
        lamp.stop()
        #expect(hardware.lamp("chip:3") == false)
        lamp.set(true)
        lamp.rescan()
        #expect(hardware.lamp("chip:3") == false)
    }
}
