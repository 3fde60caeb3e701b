// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import Health
import Testing
import TestSupport

private func problems(_ codes: (String, ProblemList.Severity)...) -> ProblemList {
    var problems = ProblemList()
    for (code, severity) in codes { problems.raise(code, "wrong", severity) }
    return problems
}

@Suite("Lamp signals")
struct LampSignalTests {
    private static let flashes: [(code: String, count: Int)] = [
        ("camera.missing", 1), ("camera.stalled", 1), ("library.full", 2),
        ("display.degraded", 3), ("button.stuck", 4), ("lamp.missing", 4),
        ("board.temperature", 5), ("microphone.missing", 5),
    ]

    @Test("the number of flashes tells what is wrong")
    func flashes() {
        for (code, count) in Self.flashes {
            #expect(Lamps.signal(problems((code, .degraded))) == .flashes(count), "\(code)")
        }
    }

    @Test("the worst problem is signalled, and among equals the one with the fewest flashes")
    func worst() {
        #expect(Lamps.signal(problems()) == nil)
        #expect(
            Lamps.signal(problems(("camera.missing", .degraded), ("library.full", .failed)))
                == .flashes(2))
        #expect(
            Lamps.signal(problems(("button.stuck", .degraded), ("display.missing", .degraded)))
                == .flashes(3))
    }
}

@Suite("Lamps", .timeLimit(.common))
struct LampsTests {
    private let panel = TestPanel()

    private func line(_ name: String) -> OutputLine {
        OutputLine(name: name, chip: "virtual", line: name, hardware: panel)
    }

    /// Waits until the line has changed `count` times, and returns its states. A late lamp may set
    /// the same state again, which is no change.
    private func states(of line: String, count: Int) async throws -> [Bool] {
        var changes: [Bool] = []
        try await waitUntil {
            changes = panel.states(of: line).reduce(into: []) { changes, state in
                if changes.last != state { changes.append(state) }
            }
            return changes.count >= count
        }
        return Array(changes.prefix(count))
    }

    @Test("the fault lamp flashes while the ready lamp stays off")
    func fault() async throws {
        let lamps = Lamps(ready: line("ready"), recording: nil, fault: line("fault"))
        await lamps.show(problems(("camera.missing", .failed)))
        #expect(try await states(of: "fault", count: 4) == [true, false, true, false])
        #expect(!panel.states(of: "ready").contains(true))
        await lamps.show(problems())
        #expect(panel.states(of: "fault").last == false)
        await lamps.stop()
        #expect(panel.states(of: "fault").last == false)
    }

    @Test("the ready lamp flashes in place of a fault lamp only while photos are impossible")
    func standIn() async throws {
        let lamps = Lamps(ready: line("ready"), recording: nil, fault: nil)
        await lamps.setReady(true)
        await lamps.show(problems(("display.missing", .degraded)))
        #expect(panel.states(of: "ready") == [true])
        await lamps.setReady(false)
        #expect(panel.states(of: "ready") == [true, false])
        await lamps.show(problems(("camera.missing", .failed)))
        #expect(
            try await states(of: "ready", count: 6) == [true, false, true, false, true, false])
        await lamps.show(problems())
        await lamps.setReady(true)
        #expect(panel.states(of: "ready").last == true)
        await lamps.stop()
        #expect(panel.states(of: "ready").last == false)
    }

    @Test("the recording lamp is lit during a clip, whatever else is wrong")
    func recording() async {
        let lamps = Lamps(ready: nil, recording: line("recording"), fault: nil)
        await lamps.setRecording(true)
        await lamps.show(problems(("library.slow", .degraded)))
        #expect(panel.states(of: "recording") == [true])
        await lamps.setRecording(false)
        #expect(panel.states(of: "recording") == [true, false])
        await lamps.stop()
    }
}
