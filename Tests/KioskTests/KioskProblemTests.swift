// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Testing

@Suite("kiosk: problems appear and go")
struct KioskProblemTests {
    @Test(
        "presses are refused with the text of the problem while it lasts",
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

    @Test("a stuck button's problem replaces the invitation; photos are still taken")
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
        // Another button, or the command line, still works.
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
        // The problem is shown even if the configuration shows no hint.
        var quiet = Driver { $0.showsHint = false }
        #expect(quiet.scene?.isBare == true)
        quiet.send(.problem(stuck))
        #expect(quiet.lamp == false && quiet.scene == Scene(.preview, notice: notice))
    }

    @Test("a late camera makes the kiosk live as soon as its problem is gone")
    func lateCamera() {
        var kiosk = Driver(live: false)
        kiosk.send(.problem(noCamera))
        #expect(kiosk.machine.state == .fault)
        kiosk.send(.problemGone(code: noCamera.code))
        #expect(kiosk.machine.state == .live)
    }

    @Test("a countdown that loses its camera fails and shows a failure")
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

    @Test("an ordered capture survives a problem and ends with its answer")
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

    @Test("a review outlasts the loss of the camera, then the fault is shown")
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

    @Test("a refused press during a review shows the fault")
    func pressInReview() {
        var kiosk = Driver { $0.reviewSeconds = 2 }
        kiosk.press()
        kiosk.save(kiosk.accepted[0])
        kiosk.send(.problem(noCamera))
        kiosk.press()
        #expect(kiosk.scene?.fault != nil)
    }

    @Test("a captured photo is saved although the camera is gone")
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

    @Test("the most severe of several problems is shown; each ends by its code")
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

    @Test("a repeated problem changes only its detail")
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

    @Test("photos that wait for their copies are named with a problem, and only with one")
    func copies() {
        var kiosk = Driver()
        kiosk.send(.copiesWaiting("12 waiting, oldest 3 h"))
        let shown = kiosk.scenesShown
        kiosk.send(.problem(noCamera))
        #expect(kiosk.scene?.fault?.copies == "12 waiting, oldest 3 h")
        kiosk.send(.copiesWaiting(nil))
        #expect(kiosk.scene?.fault?.copies == nil)
        #expect(kiosk.scenesShown == shown + 2)
    }

    @Test("an unknown problem code gets a general text")
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
