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

    @Test("the first press begins a movie at its edge, the second ends it, and both are said")
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
        // While it is saved there is no other.
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

    @Test("the screen counts down to the limit, where the movie ends")
    func limit() throws {
        var kiosk = Driver { $0.recordingSeconds = 10 }
        let id = try begun(&kiosk)
        #expect(kiosk.scene?.recording == Scene.Recording(elapsed: 0, remaining: 10))
        kiosk.wait(9 * second)
        #expect(kiosk.scene?.recording == Scene.Recording(elapsed: 9, remaining: 1))
        #expect(kiosk.stopped.isEmpty)
        kiosk.wait(second)
        #expect(kiosk.stopped == [id] && kiosk.scene?.recording == nil)
        // Nobody says what became of it.
        kiosk.wait(61 * second)
        #expect(!kiosk.machine.isRecording)
        guard case .failed? = kiosk.recorded[id] else {
            Issue.record("a movie that is still waited for")
            return
        }
    }

    @Test("photos are taken beside a movie, and the screen does not go off over it")
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
        "one that ends by itself is over, and says whether it was cut short",
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

    @Test(
        "none begins during a fault, a countdown, or while the kiosk stops; the one that runs ends then"
    )
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
        // What runs is seen whatever else is.
        #expect(kiosk.scene?.fault != nil && kiosk.scene?.recording != nil)
        kiosk.send(.stopping)
        #expect(kiosk.stopped == [id])
        kiosk.send(.recordingEnded(id, .saved(movie, isCut: true)))
        guard case .impossible? = kiosk.press(.record) else {
            Issue.record("a movie without a camera")
            return
        }
    }

    @Test("a command ends the movie that it means, and begins none beside one")
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
}
