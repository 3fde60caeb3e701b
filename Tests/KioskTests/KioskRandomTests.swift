// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import TestSupport
import Testing

@Suite("kiosk: random events")
struct KioskRandomTests {
    static let problems = [
        noCamera, full, KioskProblem(code: "library.busy", effect: .noPhotos),
        KioskProblem(code: "camera.stalled", effect: .noPreview),
        KioskProblem(code: "clock.unset", effect: .unnoticed),
        KioskProblem(code: "button.stuck", effect: .noticed),
    ]

    @Test("100,000 random events lead to no dead end", arguments: [1, 2, 3, 4] as [UInt64])
    func noDeadEnd(seed: UInt64) {
        var random = Seeded(seed)
        var kiosk = Driver(live: false) {
            $0.countdownSeconds = Int(seed % 4)
            $0.reviewSeconds = Double(seed % 3)
            $0.screenOffSeconds = seed % 2 == 0 ? 20 : nil
            $0.hasFlash = seed > 2
            $0.recordingSeconds = 15
            $0.recordingCountdownSeconds = Int(seed % 4)
        }
        var states: Set<KioskState> = []
        for round in 0..<25_000 {
            randomEvent(&kiosk, &random)
            states.insert(kiosk.machine.state)
            // In every tenth round the preview must be reachable by presses alone and by waiting
            // alone.
            if round % 10 == 0 {
                var copy = kiosk
                for problem in Self.problems { copy.send(.problemGone(code: problem.code)) }
                let began = (state: copy.machine.state, time: copy.now)
                if began.state != .starting {
                    #expect(Self.isPreviewNear(copy.machine, at: copy.now), "\(began.state)")
                }
                // Control: only a press ends these states.
                if [.countdown, .review, .viewing, .asleep].contains(began.state) {
                    #expect(!Self.showsPreview(copy.machine, at: copy.now, within: 0))
                }
                var ticks = 0
                var live: Int64?
                while let deadline = copy.machine.nextDeadline, ticks < 2000 {
                    // A wait counts only until the kiosk is live or asleep.
                    if [.live, .asleep].contains(copy.machine.state) { live = live ?? copy.now }
                    copy.wait(until: deadline)
                    ticks += 1
                }
                if began.state != .asleep {
                    let waited = (live ?? copy.now) - began.time
                    #expect(waited <= Self.longestWait(copy.machine.configuration))
                }
                #expect(copy.machine.nextDeadline == nil)
                if seed % 2 == 0 {
                    #expect(copy.machine.state == .asleep && copy.isScreenOn == false)
                    copy.press(.none)
                }
                #expect(copy.isScreenOn)
                #expect(copy.machine.state == .live)
                #expect(copy.machine.isIdle && !copy.recordingLamp)
                #expect(copy.lamp == true)
                #expect(copy.flash == false)
                #expect(copy.scene == Scene(.preview, hint: KioskTexts().hint))
                #expect(copy.results.count == copy.machine.counts.accepted)
            }
        }
        let expected: [KioskState] = [.starting, .live, .capturing, .recording, .fault]
        #expect(states.isSuperset(of: expected))
        #expect(states.contains(.viewing))
        #expect(states.contains(.asleep) == (seed % 2 == 0))
        #expect(states.contains(.countdown) == (seed % 4 != 0))
        #expect(states.contains(.review) == (seed % 3 != 0))
    }

    /// Whether at most three presses bring the preview back on the screen, now or when a capture in
    /// progress is over.
    private static func isPreviewNear(_ machine: KioskMachine, at now: Int64) -> Bool {
        var later = machine
        let soon = now + Int64(machine.configuration.captureLeadMilliseconds) * millisecond
        _ = later.handle(.tick, at: soon)
        return (0...3).contains { presses in
            showsPreview(machine, at: now, within: presses)
                || showsPreview(later, at: soon, within: presses)
        }
    }

    /// Whether at most `presses` presses alone bring the preview back on the screen.
    private static func showsPreview(
        _ machine: KioskMachine, at now: Int64, within presses: Int
    ) -> Bool {
        if [.live, .capturing, .recording].contains(machine.state) { return true }
        return presses > 0
            && KioskAction.allCases.contains { action in
                var next = machine
                _ = next.handle(.press(KioskPress(action, timestamp: now)), at: now)
                return showsPreview(next, at: now, within: presses - 1)
            }
    }

    /// The longest that an untouched kiosk may wait: for a countdown, unanswered requests and a
    /// review.
    private static func longestWait(_ configuration: KioskConfiguration) -> Int64 {
        let waits: [Double] = [
            max(configuration.startLimitSeconds, Double(configuration.countdownSeconds)),
            configuration.captureLimitSeconds, configuration.saveLimitSeconds,
            configuration.reviewSeconds, configuration.failureSeconds,
            configuration.recordingSeconds ?? 0, Double(configuration.recordingCountdownSeconds),
            max(configuration.viewIdleSeconds, configuration.viewLimitSeconds),
        ]
        let seconds = waits.reduce(0, +)
        return Int64(seconds * 1e9)
    }

    private func randomEvent(_ kiosk: inout Driver, _ random: inout Seeded) {
        let shot = ShotIdentifier(
            number: Int64(kiosk.machine.counts.accepted) - Int64.random(in: -1...9, using: &random))
        let problem = Self.problems[Int.random(in: 0..<Self.problems.count, using: &random)]
        let movie = RecordingIdentifier(
            number: Int64(kiosk.begun.count) + Int64.random(in: -1...1, using: &random))
        let view = ViewIdentifier(
            number: Int64(kiosk.views.count) + Int64.random(in: -1...0, using: &random))
        switch Int.random(in: 0..<27, using: &random) {
        case 24: kiosk.send(.order(Int.random(in: 0..<100, using: &random)))
        case 25:
            kiosk.send(.viewShows(view, randomFace(&random)))
        case 26 where Int.random(in: 0..<4, using: &random) == 0:
            kiosk.send(.viewEnded(view, Bool.random(using: &random) ? .over : .empty))
        case 26: kiosk.press(.browse)
        case 23: kiosk.send(.recordingRoom(seconds: Double.random(in: 0...900, using: &random)))
        case 22: kiosk.send(.soundLevel(Double.random(in: 0...1, using: &random)))
        case 20: kiosk.send(.endRecording(movie))
        case 21: kiosk.send(.recordingEnded(movie, .failed(reason: "random")))
        case 0...4: kiosk.press(age: Int64.random(in: -5...50, using: &random) * millisecond)
        case 5: kiosk.press(.cancel)
        case 6: kiosk.press(KioskAction.allCases.randomElement(using: &random) ?? .none)
        case 7, 8: kiosk.send(.captured(shot))
        case 9: kiosk.send(.captureFailed(shot, reason: "random"))
        case 10, 11: kiosk.save(shot)
        case 12: kiosk.send(.saveFailed(shot, reason: "random"))
        case 13 where Int.random(in: 0..<4, using: &random) == 0: kiosk.send(.problem(problem))
        case 13, 14: kiosk.send(.problemGone(code: problem.code))
        case 15 where Int.random(in: 0..<50, using: &random) == 0: kiosk.send(.previewStarted)
        case 15: kiosk.send(.tick)
        case 16: kiosk.jump(Int64.random(in: 0...25_000, using: &random) * millisecond)
        default: kiosk.wait(Int64.random(in: 0...1500, using: &random) * millisecond)
        }
    }

    private func randomFace(_ random: inout Seeded) -> Scene.Viewing {
        let isMoving = Bool.random(using: &random)
        let elapsed = Int.random(in: 0...9, using: &random)
        return Scene.Viewing(
            title: "", picture: isMoving ? nil : "photo",
            progress: isMoving ? Scene.Viewing.Progress(elapsed: elapsed) : nil)
    }

    @Test(
        "300 presses at 3 per second lose no photo, however long saving takes",
        arguments: [0.0, 2.0], [11, 12, 13] as [UInt64])
    func threeHundred(review: Double, seed: UInt64) {
        var random = Seeded(seed)
        var kiosk = Driver { $0.reviewSeconds = review }
        var answers: [(time: Int64, event: KioskEvent)] = []
        var pressed = 0
        var nextPress = kiosk.now
        while pressed < 300 || !answers.isEmpty {
            let due = answers.map(\.time).min() ?? .max
            if pressed < 300 && nextPress <= due {
                kiosk.wait(until: nextPress)
                let verdict = kiosk.press(age: 2 * millisecond)
                guard case .accepted(let id)? = verdict else {
                    Issue.record("press \(pressed) was not accepted")
                    return
                }
                #expect(kiosk.captures[id] == kiosk.now - 2 * millisecond)
                let photo = SavedPhoto(assetID: "\(id.number)", fileName: "\(id.number).jpg")
                let captured = Int64.random(in: 10...60, using: &random)
                let saved = captured + Int64.random(in: 5...2200, using: &random)
                answers.append((nextPress + captured * millisecond, .captured(id)))
                answers.append((nextPress + saved * millisecond, .saved(id, photo)))
                pressed += 1
                nextPress += second / 3
            } else if let index = answers.firstIndex(where: { $0.time == due }) {
                kiosk.wait(until: due)
                kiosk.send(answers.remove(at: index).event)
            }
        }
        let saved = kiosk.results.values.compactMap { result -> String? in
            if case .saved(let photo) = result { photo.assetID } else { nil }
        }
        #expect(Set(saved) == Set((1...300).map(String.init)))
        #expect(saved.count == 300)
        #expect(kiosk.machine.counts.busy == 0)
        kiosk.wait(10 * second)
        #expect(kiosk.machine.state == .live)
    }

    @Test(
        "each press ends exactly once in any order of answers",
        arguments: 1...200 as ClosedRange<UInt64>)
    func anyOrder(seed: UInt64) {
        var random = Seeded(seed)
        var kiosk = Driver()
        for _ in 0..<8 { kiosk.press() }
        var answers: [KioskEvent] = []
        for id in kiosk.accepted {
            let photo = SavedPhoto(assetID: "\(id.number)", fileName: "")
            answers += [.captured(id), .saved(id, photo)]
            if Bool.random(using: &random) { answers.append(.captured(id)) }
            if Bool.random(using: &random) { answers.append(.saveFailed(id, reason: "")) }
            if Bool.random(using: &random) { answers.append(.captureFailed(id, reason: "")) }
        }
        answers.shuffle(using: &random)
        for answer in answers { kiosk.send(answer) }
        #expect(kiosk.results.count == 8)
        #expect(kiosk.machine.photosInFlight == 0)
        let counts = kiosk.machine.counts
        // Every answer advanced a shot or counted as repeated. A saved photo also counts as
        // captured if its `captured` has not arrived.
        #expect(counts.saved + counts.failed == 8)
        #expect(counts.repeatedAnswers <= answers.count - 8)
        #expect(counts.unknownAnswers == 0)
    }

    @Test("a clock that goes back changes neither the deadline nor the state")
    func clock() {
        var machine = KioskMachine(at: 100 * second)
        _ = machine.handle(.previewStarted, at: 100 * second)
        let press = KioskPress(.photo, timestamp: 100 * second, countdownSeconds: 2)
        _ = machine.handle(.press(press), at: 100 * second)
        let deadline = machine.nextDeadline
        _ = machine.handle(.tick, at: 1 * second)
        #expect(machine.nextDeadline == deadline)
        #expect(machine.state == .countdown)
    }

    @Test(
        "deadlines only increase while only time passes",
        arguments: 1...50 as ClosedRange<UInt64>)
    func monotone(seed: UInt64) {
        var random = Seeded(seed)
        var kiosk = Driver {
            $0.countdownSeconds = 2
            $0.reviewSeconds = 2
            $0.recordingSeconds = 15
        }
        for _ in 0..<40 { randomEvent(&kiosk, &random) }
        var last = Int64.min
        var ticks = 0
        while let deadline = kiosk.machine.nextDeadline {
            #expect(deadline > last)
            last = deadline
            kiosk.wait(until: deadline)
            ticks += 1
            if ticks > 500 { break }
        }
        #expect(ticks <= 500)
    }
}
