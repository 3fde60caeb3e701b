// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Testing

@Suite("kiosk: problems appear and go")
struct KioskProblemTests {
    @Test(
        "presses are refused in plain words while a problem stands",
        arguments: [noCamera, full, KioskProblem(code: "library.readonly", effect: .noPhotos)])
    func refused(problem: KioskProblem) {
        var kiosk = Driver()
        kiosk.send(.problem(problem))
        #expect(kiosk.machine.state == .fault)
        #expect(kiosk.lamp == false)
        let words = KioskTexts().fault(problem)
        #expect(kiosk.press() == .impossible(reason: "\(words.title). \(words.advice)"))
        #expect(kiosk.machine.counts.impossible == 1)
        #expect(kiosk.scene?.fault?.title == words.title)
        #expect(kiosk.scene?.fault?.code.hasPrefix(problem.code) == true)
        #expect(kiosk.scene?.background == (problem.effect == .noPreview ? .black : .preview))
        kiosk.send(.problemGone(code: problem.code))
        #expect(kiosk.machine.state == .live)
        #expect(kiosk.press() == .accepted(ShotIdentifier(number: 1)))
    }

    @Test("a button that does nothing is said in place of the invitation, photos go on")
    func noticed() {
        let stuck = KioskProblem(code: "button.stuck", effect: .noticed)
        let words = KioskTexts().fault(stuck)
        let notice = Scene.Notice(.failure, "\(words.title). \(words.advice)")
        var kiosk = Driver()
        #expect(kiosk.lamp == true && kiosk.scene?.hint == KioskTexts().hint)
        kiosk.send(.problem(stuck))
        #expect(kiosk.machine.state == .live)
        #expect(kiosk.lamp == false)
        #expect(kiosk.scene == Scene(.preview, notice: notice))
        // Another button, or the command line.
        #expect(kiosk.press() == .accepted(ShotIdentifier(number: 1)))
        kiosk.save(kiosk.accepted[0])
        #expect(kiosk.scene?.notice == .init(.success, KioskTexts().saved))
        kiosk.wait(10 * second)
        #expect(kiosk.scene == Scene(.preview, notice: notice))
        kiosk.send(.problem(noCamera))
        #expect(kiosk.scene?.fault?.title == "No camera")
        kiosk.send(.problemGone(code: noCamera.code))
        kiosk.send(.problemGone(code: stuck.code))
        #expect(kiosk.lamp == true && kiosk.scene?.hint == KioskTexts().hint)
        // Where nothing invites to press it is said all the same.
        var quiet = Driver { $0.showsHint = false }
        #expect(quiet.scene?.isBare == true)
        quiet.send(.problem(stuck))
        #expect(quiet.lamp == false && quiet.scene == Scene(.preview, notice: notice))
    }

    @Test("a camera that is plugged in after the start needs no other news")
    func lateCamera() {
        var kiosk = Driver(live: false)
        kiosk.send(.problem(noCamera))
        #expect(kiosk.machine.state == .fault)
        kiosk.send(.problemGone(code: noCamera.code))
        #expect(kiosk.machine.state == .live)
    }

    @Test("a countdown that loses its camera is over, and says so")
    func countdown() {
        var kiosk = Driver { $0.countdownSeconds = 3 }
        kiosk.press()
        kiosk.wait(second)
        kiosk.send(.problem(noCamera))
        #expect(kiosk.machine.state == .fault)
        #expect(
            kiosk.results[kiosk.accepted[0]]
                == .failed(reason: "the countdown was interrupted: camera.missing"))
        #expect(kiosk.scene?.notice == .init(.failure, KioskTexts().interrupted))
        kiosk.wait(10 * second)
        #expect(kiosk.captures.isEmpty)
        #expect(kiosk.scene?.notice == nil)
        kiosk.send(.problemGone(code: noCamera.code))
        #expect(kiosk.machine.state == .live)
    }

    @Test("a countdown whose capture is ordered ends by the capture's answer")
    func orderedCapture() {
        var kiosk = Driver { $0.countdownSeconds = 1 }
        kiosk.press()
        kiosk.wait(900 * millisecond)
        kiosk.send(.problem(noCamera))
        #expect(kiosk.machine.state == .fault)
        #expect(kiosk.results.isEmpty)
        kiosk.send(.captureFailed(kiosk.accepted[0], reason: "gone"))
        #expect(kiosk.results[kiosk.accepted[0]] == .failed(reason: "gone"))
    }

    @Test("a review goes on without a camera, then the fault shows")
    func review() {
        var kiosk = Driver { $0.reviewSeconds = 2 }
        kiosk.press()
        kiosk.save(kiosk.accepted[0])
        kiosk.send(.problem(noCamera))
        #expect(kiosk.machine.state == .review)
        #expect(kiosk.scene?.review != nil)
        kiosk.wait(2 * second)
        #expect(kiosk.machine.state == .fault)
        #expect(kiosk.scene?.fault != nil)
    }

    @Test("a refused press during a review shows why")
    func pressInReview() {
        var kiosk = Driver { $0.reviewSeconds = 2 }
        kiosk.press()
        kiosk.save(kiosk.accepted[0])
        kiosk.send(.problem(noCamera))
        kiosk.press()
        #expect(kiosk.scene?.fault != nil)
    }

    @Test("photos under way are saved although the camera is gone")
    func underWay() {
        var kiosk = Driver()
        kiosk.press()
        kiosk.send(.captured(kiosk.accepted[0]))
        kiosk.send(.problem(noCamera))
        kiosk.save(kiosk.accepted[0])
        #expect(kiosk.machine.counts.saved == 1)
        #expect(kiosk.scene?.fault != nil)
        #expect(kiosk.scene?.notice?.kind == .success)
    }

    @Test("of several problems the worst shows, and each goes by its code")
    func several() {
        var kiosk = Driver()
        kiosk.send(.problem(full))
        kiosk.send(.problem(noCamera))
        #expect(kiosk.scene?.fault?.title == "No camera")
        kiosk.send(.problem(KioskProblem(code: "clock.unset", effect: .unnoticed)))
        kiosk.send(.problemGone(code: "nothing.such"))
        kiosk.send(.problemGone(code: noCamera.code))
        #expect(kiosk.scene?.fault?.title == "Storage is full")
        kiosk.send(.problemGone(code: full.code))
        #expect(kiosk.machine.state == .live)
    }

    @Test("the same problem again changes nothing but its detail")
    func detail() {
        var kiosk = Driver()
        kiosk.send(.problem(noCamera))
        let shown = kiosk.scenesShown
        kiosk.send(.problem(noCamera))
        #expect(kiosk.scenesShown == shown)
        kiosk.send(
            .problem(KioskProblem(code: noCamera.code, effect: .noPreview, detail: "denied")))
        #expect(kiosk.scene?.fault?.code == "camera.missing · denied")
        kiosk.send(.problemGone(code: noCamera.code))
        #expect(kiosk.machine.state == .live)
    }

    @Test("a code without words of its own has words all the same")
    func otherWords() {
        var kiosk = Driver()
        kiosk.send(.problem(KioskProblem(code: "camera.melted", effect: .noPreview)))
        #expect(kiosk.scene?.fault?.title == KioskTexts().otherCameraFault.title)
        kiosk.send(.problemGone(code: "camera.melted"))
        kiosk.send(.problem(KioskProblem(code: "library.lost", effect: .noPhotos)))
        #expect(kiosk.scene?.fault?.title == KioskTexts().otherPhotoFault.title)
    }

    @Test("a problem that no guest would notice is not shown")
    func unnoticed() {
        var kiosk = Driver()
        let shown = kiosk.scenesShown
        kiosk.send(.problem(KioskProblem(code: "clock.unset", effect: .unnoticed)))
        #expect(kiosk.machine.state == .live)
        #expect(kiosk.scenesShown == shown)
    }
}
