// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Testing

@Suite("kiosk: movies")
struct KioskRecordingTests {
    private let movie = SavedPhoto(assetID: "movie", fileName: "movie.mp4")

    private func begun(
        _ kiosk: inout Driver, age: Int64 = 0
    ) throws -> RecordingIdentifier {
        guard case .recording(let id, begins: true)? = kiosk.press(.record, age: age) else {
            throw Refused()
        }
        return id
    }

    private struct Refused: Error {}

    @Test("a press begins a movie at its edge, the next ends it, and the screen says so")
    func beginAndEnd() throws {
        var kiosk = Driver()
        let id = try begun(&kiosk, age: 20 * millisecond)
        #expect(kiosk.recordings[id] == kiosk.now - 20 * millisecond)
        #expect(kiosk.machine.state == .recording && kiosk.recordingLamp)
        #expect(kiosk.scene?.recording == Scene.Recording(elapsed: 0))
        kiosk.wait(3 * second)
        #expect(kiosk.scene?.recording == Scene.Recording(elapsed: 3))
        #expect(kiosk.press(.record) == .recording(id, begins: false))
        #expect(kiosk.stopped == [id] && !kiosk.recordingLamp)
        #expect(kiosk.machine.state == .live && kiosk.machine.isRecording)
        // No other movie begins while this one is being saved.
        guard case .busy? = kiosk.press(.record) else {
            Issue.record("a movie beside another")
            return
        }
        kiosk.wait(second)
        #expect(kiosk.scene?.notice?.text == KioskTexts().saving)
        kiosk.send(.recordingEnded(id, .saved(movie, isCut: false)))
        #expect(kiosk.scene?.notice == Scene.Notice(.success, KioskTexts().movieSaved))
        #expect(kiosk.recorded[id] == .saved(movie, isCut: false))
        #expect(try begun(&kiosk) != id)
    }

    @Test("the screen counts down to the movie's limit, which ends it")
    func limit() throws {
        var kiosk = Driver { $0.recordingSeconds = 10 }
        let id = try begun(&kiosk)
        #expect(kiosk.scene?.recording == Scene.Recording(elapsed: 0, remaining: 10))
        kiosk.wait(9 * second)
        #expect(kiosk.scene?.recording == Scene.Recording(elapsed: 9, remaining: 1))
        #expect(kiosk.stopped.isEmpty)
        kiosk.wait(second)
        #expect(kiosk.stopped == [id] && kiosk.scene?.recording == nil)
        // The movie is given up after the save limit of 60 s plus its own 10 s.
        kiosk.wait(69 * second)
        #expect(kiosk.machine.isRecording)
        kiosk.wait(2 * second)
        #expect(!kiosk.machine.isRecording)
        guard case .failed? = kiosk.recorded[id] else {
            Issue.record("a movie that is still waited for")
            return
        }
    }

    @Test("photos are taken during a movie, which keeps the screen on")
    func photos() throws {
        var kiosk = Driver { $0.screenOffSeconds = 5 }
        _ = try begun(&kiosk)
        guard case .accepted(let shot)? = kiosk.press() else {
            Issue.record("no photo beside a movie")
            return
        }
        kiosk.save(shot)
        kiosk.wait(20 * second)
        #expect(kiosk.isScreenOn && kiosk.scene?.recording != nil)
    }

    @Test(
        "a movie that ends by itself is over, and its notice tells whether it was cut",
        arguments: [true, false])
    func endsByItself(isCut: Bool) throws {
        var kiosk = Driver()
        let id = try begun(&kiosk)
        kiosk.wait(2 * second)
        kiosk.send(.recordingEnded(id, .saved(movie, isCut: isCut)))
        #expect(kiosk.scene?.notice?.kind == (isCut ? .failure : .success))
        #expect(kiosk.machine.state == .live && kiosk.stopped.isEmpty)
        kiosk.send(.recordingEnded(id, .saved(movie, isCut: isCut)))
        kiosk.send(.recordingEnded(RecordingIdentifier(number: 9), .failed(reason: "")))
        #expect(kiosk.machine.counts.repeatedAnswers == 1)
        #expect(kiosk.machine.counts.unknownAnswers == 1)
        #expect(kiosk.machine.counts.moviesSaved == 1)
    }

    @Test("a countdown, a fault and stopping refuse a movie; stopping ends a running one")
    func refused() throws {
        var kiosk = Driver { $0.countdownSeconds = 3 }
        kiosk.press()
        guard case .busy? = kiosk.press(.record) else {
            Issue.record("a movie during a countdown")
            return
        }
        kiosk.press(.cancel)
        let id = try begun(&kiosk)
        kiosk.send(.problem(noCamera))
        // The running movie is shown beside the fault.
        #expect(kiosk.scene?.fault != nil && kiosk.scene?.recording != nil)
        kiosk.send(.stopping)
        #expect(kiosk.stopped == [id])
        kiosk.send(.recordingEnded(id, .saved(movie, isCut: true)))
        guard case .impossible? = kiosk.press(.record) else {
            Issue.record("a movie without a camera")
            return
        }
    }

    @Test("a movie without room is refused with the reason; photos are still taken")
    func noRoom() throws {
        var kiosk = Driver { $0.recordingCountdownSeconds = 3 }
        let low = KioskProblem(code: "library.low", effect: .noClips)
        guard case .recording(let counted, _)? = kiosk.press(.record) else {
            Issue.record("no countdown")
            return
        }
        kiosk.send(.problem(low))
        #expect(kiosk.recorded[counted] != nil, "a countdown to a movie for which there is no room")
        guard case .impossible(let reason)? = kiosk.press(.record) else {
            Issue.record("a movie without room")
            return
        }
        #expect(reason.hasPrefix("No room for clips."))
        #expect(kiosk.scene?.notice?.kind == .failure && kiosk.scene?.fault == nil)
        guard case .accepted? = kiosk.press() else {
            Issue.record("no photo")
            return
        }
        kiosk.send(.problemGone(code: low.code))
        guard case .recording? = kiosk.press(.beginRecording) else {
            Issue.record("no movie though there is room")
            return
        }
    }

    @Test("a command ends only the movie that it names, and begins none beside it")
    func byCommand() throws {
        var kiosk = Driver()
        let id = try begun(&kiosk)
        guard case .busy? = kiosk.press(.beginRecording) else {
            Issue.record("a command that ends a guest's movie")
            return
        }
        kiosk.send(.endRecording(RecordingIdentifier(number: 7)))
        #expect(kiosk.stopped.isEmpty)
        kiosk.send(.endRecording(id))
        #expect(kiosk.stopped == [id])
    }

    @Test("a countdown is shown, and the movie begins at its end")
    func countdown() throws {
        var kiosk = Driver { $0.recordingCountdownSeconds = 3 }
        let id = try begun(&kiosk, age: 20 * millisecond)
        let edge = kiosk.now - 20 * millisecond
        #expect(kiosk.machine.state == .countdown && kiosk.scene?.countdown?.digits == 3)
        #expect(!kiosk.machine.isRecording && kiosk.recordings.isEmpty && !kiosk.recordingLamp)
        // Nothing else begins during the countdown.
        for action: KioskAction in [.photo, .beginRecording] {
            guard case .busy? = kiosk.press(action) else {
                Issue.record("\(action) during a countdown")
                return
            }
        }
        kiosk.wait(until: edge + 3 * second)
        #expect(kiosk.recordings[id] == edge + 3 * second)
        #expect(kiosk.machine.state == .recording && kiosk.recordingLamp)
        #expect(kiosk.scene?.countdown == nil)
        #expect(kiosk.scene?.recording == Scene.Recording(elapsed: 0))
        #expect(kiosk.press(.record) == .recording(id, begins: false))
        #expect(kiosk.stopped == [id])
    }

    @Test(
        "another press, or stopping, cancels a countdown to a movie",
        arguments: [KioskAction.record, .cancel, .primary, .secondary, .endSession])
    func takenBack(action: KioskAction) throws {
        var kiosk = Driver { $0.recordingCountdownSeconds = 3 }
        let id = try begun(&kiosk)
        kiosk.wait(second)
        #expect(kiosk.press(action) == .performed)
        #expect(kiosk.recorded[id] == .cancelled && kiosk.machine.isIdle)
        #expect(kiosk.scene?.countdown == nil && kiosk.scene?.notice != nil)
        let second = try begun(&kiosk)
        kiosk.send(.stopping)
        #expect(kiosk.recorded[second] == .cancelled && kiosk.machine.isIdle)
        #expect(kiosk.recordings.isEmpty)
    }

    @Test("a problem ends a countdown to a movie; a premature answer does not")
    func interrupted() throws {
        var kiosk = Driver { $0.recordingCountdownSeconds = 3 }
        let id = try begun(&kiosk)
        kiosk.send(.recordingEnded(id, .saved(movie, isCut: false)))
        #expect(kiosk.machine.counts.repeatedAnswers == 1 && kiosk.recorded.isEmpty)
        kiosk.send(.problem(noCamera))
        guard case .failed? = kiosk.recorded[id] else {
            Issue.record("a countdown during a fault")
            return
        }
        #expect(kiosk.machine.state == .fault && kiosk.recordings.isEmpty)
        #expect(kiosk.scene?.notice?.text == KioskTexts().movieInterrupted)
    }

    @Test("`beginRecording` starts a movie without a countdown")
    func held() throws {
        var kiosk = Driver { $0.recordingCountdownSeconds = 3 }
        guard case .recording(let id, begins: true)? = kiosk.press(.beginRecording) else {
            Issue.record("nothing began")
            return
        }
        #expect(kiosk.recordings[id] == kiosk.now && kiosk.machine.isRecording)
    }

    @Test(
        "a movie by a long press reaches back to its edge only with a pre-roll",
        arguments: [false, true])
    func late(hasPreRoll: Bool) throws {
        var kiosk = Driver {
            $0.recordingSeconds = 3
            $0.recordingHasPreRoll = hasPreRoll
        }
        let id = try begun(&kiosk, age: second)
        #expect(kiosk.recordings[id] == kiosk.now - (hasPreRoll ? second : 0))
        kiosk.wait(2 * second)
        #expect(kiosk.stopped == (hasPreRoll ? [id] : []))
        kiosk.wait(second)
        #expect(kiosk.stopped == [id])
    }

    @Test("the program's end cuts a running movie short, but not one already stopped")
    func stopping() throws {
        for byPerson in [false, true] {
            var kiosk = Driver()
            let id = try begun(&kiosk)
            kiosk.wait(second)
            if byPerson { kiosk.press(.record) }
            kiosk.send(.stopping)
            #expect(kiosk.stopped == [id])
            kiosk.send(.recordingEnded(id, .saved(movie, isCut: false)))
            #expect(kiosk.recorded[id] == .saved(movie, isCut: !byPerson))
        }
    }

    @Test("the screen shows the sound level in steps of 6 dB, if it is known")
    func level() throws {
        var kiosk = Driver()
        kiosk.send(.soundLevel(1))
        _ = try begun(&kiosk)
        #expect(kiosk.scene?.recording == Scene.Recording(elapsed: 0))
        let steps: [(Double, Int)] = [
            (1, 8), (0.5, 8), (0.4999, 7), (0.26, 7), (0.0041, 1), (0.0039, 0), (0, 0),
        ]
        for (level, step) in steps {
            kiosk.send(.soundLevel(level))
            #expect(kiosk.scene?.recording?.level == step, "\(level)")
        }
        let shown = kiosk.scenesShown
        kiosk.send(.soundLevel(0.003))
        #expect(kiosk.scenesShown == shown)
        kiosk.send(.soundLevel(nil))
        #expect(kiosk.scene?.recording == Scene.Recording(elapsed: 0))
    }

    @Test("the screen shows the shorter of the movie's limit and scarce room")
    func remaining() throws {
        var kiosk = Driver { $0.recordingSeconds = 60 }
        kiosk.send(.recordingRoom(seconds: 3))
        let id = try begun(&kiosk)
        #expect(kiosk.scene?.recording?.remaining == 60)
        kiosk.send(.recordingRoom(seconds: 12.7))
        #expect(kiosk.scene?.recording?.remaining == 12)
        kiosk.send(.recordingRoom(seconds: 90))
        #expect(kiosk.scene?.recording?.remaining == 60)
        kiosk.send(.recordingEnded(id, .failed(reason: "")))

        var unlimited = Driver { $0.recordingSeconds = nil }
        _ = try begun(&unlimited)
        unlimited.send(.recordingRoom(seconds: 601))
        #expect(unlimited.scene?.recording == Scene.Recording(elapsed: 0))
        unlimited.send(.recordingRoom(seconds: 599))
        #expect(unlimited.scene?.recording?.remaining == 599)
        unlimited.send(.recordingRoom(seconds: nil))
        #expect(unlimited.scene?.recording == Scene.Recording(elapsed: 0))
    }
}
