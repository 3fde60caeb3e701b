// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Media
import Testing

let noCamera = KioskProblem(code: "camera.missing", effect: .noPreview, detail: "unplugged")
let full = KioskProblem(code: "library.full", effect: .noPhotos)

@Suite("kiosk: state changes")
struct KioskMachineTests {
    let hint = Scene(.preview, hint: KioskTexts().hint)

    @Test("the first tick sets the lamp, the flash and the scene")
    func first() {
        var machine = KioskMachine(at: 0)
        let outcome = machine.handle(.tick, at: 0)
        let scene = Scene(.black, message: KioskTexts().starting)
        #expect(outcome.commands == [.flash(false), .readyLamp(false), .show(scene)])
        #expect(outcome.verdict == nil)
        #expect(machine.state == .starting)
    }

    @Test("the first frame makes the kiosk live")
    func start() {
        var kiosk = Driver(live: false)
        #expect(kiosk.press() == .impossible(reason: "The camera is starting."))
        kiosk.send(.previewStarted)
        #expect(kiosk.machine.state == .live)
        #expect(kiosk.scene == hint)
        #expect(kiosk.lamp == true)
        #expect(kiosk.machine.nextDeadline == nil)
    }

    @Test("the kiosk is live after the start limit even without a frame")
    func startLimit() {
        var kiosk = Driver(live: false)
        kiosk.wait(10 * second)
        #expect(kiosk.machine.state == .live)
    }

    @Test("the shutter moment without a countdown is the press's first edge")
    func momentOfPress() {
        var kiosk = Driver()
        let outcome = kiosk.send(.press(KioskPress(.photo, timestamp: kiosk.now - 7_654_321)))
        let id = ShotIdentifier(number: 1)
        #expect(outcome.verdict == .accepted(id))
        #expect(
            outcome.commands == [
                .flash(true),
                .capture(
                    CaptureOrder(
                        id, .photo, moment: kiosk.now - 7_654_321,
                        session: SessionNumber(number: 1))),
                .show(Scene(.preview)),
            ])
        #expect(kiosk.machine.state == .capturing)
    }

    @Test("a photo takes its press's reservation; a countdown and a refusal release it")
    func reservation() {
        final class Claim: Sendable {}
        /// Presses with a reservation; returns whether the order has it and whether it lives on.
        func press(_ kiosk: inout Driver, countdown: Int?) -> (isOrdered: Bool, isHeld: Bool) {
            weak var claim: Claim?
            var isOrdered = false
            do {
                let reservation = FrameReservation(Claim())
                claim = reservation.claim as? Claim
                let press = KioskPress(
                    .photo, timestamp: kiosk.now, countdownSeconds: countdown,
                    reservation: reservation)
                for case .capture(let order) in kiosk.send(.press(press)).commands {
                    isOrdered = order.reservation == reservation
                }
            }
            return (isOrdered, claim != nil)
        }
        var kiosk = Driver()
        #expect(press(&kiosk, countdown: 0) == (true, false))
        #expect(press(&kiosk, countdown: 3) == (false, false))
        // The countdown refuses the next press.
        #expect(press(&kiosk, countdown: 0) == (false, false))
    }

    @Test("a photo with flash and no countdown is taken when the light is up")
    func momentOfFlash() {
        var kiosk = Driver {
            $0.hasFlash = true
            $0.flashLeadMilliseconds = 100
        }
        let pressed = kiosk.now
        kiosk.press(age: 7 * millisecond)
        #expect(kiosk.flash == true)
        #expect(kiosk.captures[kiosk.accepted[0]] == pressed + 100 * millisecond)
        kiosk.wait(110 * millisecond)
        kiosk.send(.captured(kiosk.accepted[0]))
        // A frame may be delivered before its own timestamp.
        kiosk.wait(until: pressed + 160 * millisecond - 1)
        #expect(kiosk.flash == true)
        kiosk.wait(1)
        #expect(kiosk.flash == false)
        // A late frame keeps the flash on.
        kiosk.press()
        kiosk.wait(600 * millisecond)
        #expect(kiosk.flash == true)
        kiosk.send(.captured(kiosk.accepted[1]))
        kiosk.wait(50 * millisecond)
        #expect(kiosk.flash == false)
    }

    @Test("a loop uses no flash and does not wait for one")
    func loopWithFlash() {
        var kiosk = Driver {
            $0.hasFlash = true
            $0.flashLeadMilliseconds = 100
            $0.flashMaximumMilliseconds = 500
        }
        let pressed = kiosk.now
        kiosk.press(.loop)
        #expect(kiosk.flash == false)
        #expect(kiosk.captures[kiosk.accepted[0]] == pressed)
        kiosk.wait(2 * second)
        #expect(kiosk.flash == false)
        kiosk.send(.captured(kiosk.accepted[0]))
        kiosk.save(kiosk.accepted[0])
        // A burst uses the flash.
        kiosk.press(.burst)
        #expect(kiosk.flash == true)
        kiosk.send(.captured(kiosk.accepted[1]))
        kiosk.wait(second)
        #expect(kiosk.flash == false)
    }

    @Test("a photo with its flash off is taken at its edge with its own settings")
    func unlit() {
        var kiosk = Driver {
            $0.hasFlash = true
            $0.photo.format = .raw
        }
        let dark = CapturePhotoSettings(format: .jpeg, quality: 30, flashMode: .off)
        let moment = kiosk.now - 7 * millisecond
        kiosk.send(.press(KioskPress(.photo, timestamp: moment, photo: dark)))
        kiosk.wait(60 * millisecond)
        let first = kiosk.accepted[0]
        #expect(kiosk.flash == false)
        #expect(kiosk.captures[first] == moment && kiosk.photos[first] == dark)
        kiosk.send(.captured(first))
        // Control: a press without settings gets the configured ones.
        kiosk.press()
        #expect(kiosk.flash == true)
        #expect(kiosk.photos[kiosk.accepted[1]] == CapturePhotoSettings(format: .raw))
    }

    @Test("a countdown's capture is ordered when the flash goes on, not before")
    func captureInTheLight() {
        var kiosk = Driver {
            $0.countdownSeconds = 1
            $0.hasFlash = true
            $0.flashLeadMilliseconds = 100
        }
        let end = kiosk.now + second
        kiosk.press()
        kiosk.wait(until: end - 101 * millisecond)
        #expect(kiosk.flash == false && kiosk.captures.isEmpty)
        let commands = kiosk.wait(until: end - 100 * millisecond)
        #expect(kiosk.captures.values.first == end)
        #expect(commands.first == .flash(true))
    }

    @Test("a countdown's shutter moment is its end, and is ordered 250 ms before")
    func momentOfCountdown() {
        var kiosk = Driver { $0.countdownSeconds = 3 }
        let pressed = kiosk.now - 5 * millisecond
        kiosk.press(age: 5 * millisecond)
        #expect(kiosk.machine.state == .countdown)
        #expect(kiosk.captures.isEmpty)
        kiosk.wait(until: pressed + 3 * second - 251 * millisecond)
        #expect(kiosk.captures.isEmpty)
        kiosk.wait(until: pressed + 3 * second - 250 * millisecond)
        #expect(kiosk.captures == [ShotIdentifier(number: 1): pressed + 3 * second])
        #expect(kiosk.flash == false)
        kiosk.wait(until: pressed + 3 * second - 100 * millisecond)
        #expect(kiosk.flash == true)
        #expect(kiosk.machine.state == .countdown)
        kiosk.wait(until: pressed + 3 * second)
        #expect(kiosk.machine.state == .capturing)
        kiosk.send(.captured(ShotIdentifier(number: 1)))
        #expect(kiosk.flash == false)
    }

    @Test("a late tick orders the capture with the true moment")
    func lateTick() {
        var kiosk = Driver { $0.countdownSeconds = 1 }
        let pressed = kiosk.now
        kiosk.press()
        kiosk.jump(5 * second)
        #expect(kiosk.captures.values.first == pressed + second)
        #expect(kiosk.machine.state == .capturing)
    }

    @Test("digits count whole seconds and the ring runs out in whole steps", arguments: 1...60)
    func digits(seconds: Int) {
        var kiosk = Driver { $0.countdownSeconds = seconds }
        let before = kiosk.scenesShown
        let end = kiosk.now + Int64(seconds) * second
        kiosk.press()
        var faces: [Scene.Countdown] = []
        while kiosk.now < end {
            if let face = kiosk.scene?.countdown, face != faces.last {
                faces.append(face)
                let left = Double(end - kiosk.now) / 1e9
                #expect(face.digits == Int((left - 1e-6).rounded(.up)))
            }
            kiosk.wait(until: kiosk.machine.nextDeadline ?? end)
        }
        let steps = faces.first?.steps ?? 0
        #expect(steps <= 60)
        #expect(faces.map(\.step) == Array((1...steps).reversed()))
        #expect(faces.first?.digits == seconds)
        #expect(faces.last?.digits == 1)
        #expect(kiosk.scenesShown - before == steps + 1)
    }

    @Test("a press during a countdown is refused as busy and counted")
    func busyCountdown() {
        var kiosk = Driver { $0.countdownSeconds = 2 }
        kiosk.press()
        kiosk.wait(1900 * millisecond)
        #expect(kiosk.press() == .busy(reason: "A countdown is running."))
        #expect(kiosk.machine.counts.busy == 1)
        kiosk.wait(200 * millisecond)
        #expect(kiosk.captures.count == 1)
    }

    @Test("cancel ends a countdown without a photo")
    func cancelCountdown() {
        var kiosk = Driver {
            $0.countdownSeconds = 2
            $0.flashLeadMilliseconds = 1000
        }
        kiosk.press()
        kiosk.wait(1200 * millisecond)
        #expect(kiosk.flash == true)
        #expect(kiosk.press(.cancel) == .performed)
        #expect(kiosk.flash == false)
        #expect(kiosk.results == [ShotIdentifier(number: 1): .cancelled])
        #expect(kiosk.scene?.notice?.text == "Cancelled")
        kiosk.wait(5 * second)
        #expect(kiosk.captures.isEmpty)
        #expect(kiosk.scene == hint)
        #expect(kiosk.press(.cancel) == .ignored)
        #expect(kiosk.press(.none) == .ignored)
    }

    @Test("a saved photo is reviewed, then the preview is shown again")
    func review() {
        var kiosk = Driver { $0.reviewSeconds = 2 }
        kiosk.press()
        let id = kiosk.accepted[0]
        kiosk.send(.captured(id))
        #expect(kiosk.machine.state == .live)
        kiosk.save(id)
        #expect(kiosk.machine.state == .review)
        #expect(
            kiosk.scene
                == Scene(
                    .black, notice: Scene.Notice(.success, "Saved"),
                    review: Scene.Review(assetID: "asset 1", fileName: "1.jpg")))
        kiosk.wait(2 * second - 1)
        #expect(kiosk.machine.state == .review)
        kiosk.wait(1)
        #expect(kiosk.scene == hint)
        // The end of the guest's session is the only deadline left.
        #expect(kiosk.machine.nextDeadline == kiosk.now + 118 * second)
        kiosk.wait(118 * second)
        #expect(kiosk.machine.nextDeadline == nil)
    }

    @Test("cancel ends the review")
    func cancelReview() {
        var kiosk = Driver { $0.reviewSeconds = 2 }
        kiosk.press()
        kiosk.save(kiosk.accepted[0])
        #expect(kiosk.press(.cancel) == .performed)
        #expect(kiosk.scene == hint)
    }

    @Test("a saved photo without a review shows a short notice")
    func noReview() {
        var kiosk = Driver()
        kiosk.press()
        kiosk.send(.captured(kiosk.accepted[0]))
        kiosk.save(kiosk.accepted[0])
        #expect(kiosk.scene == Scene(.preview, notice: Scene.Notice(.success, "Saved")))
        kiosk.wait(1500 * millisecond)
        #expect(kiosk.scene == hint)
    }

    @Test("a press during a review takes the next photo at once")
    func pressInReview() {
        var kiosk = Driver { $0.reviewSeconds = 9 }
        kiosk.press()
        kiosk.save(kiosk.accepted[0])
        #expect(kiosk.press() == .accepted(ShotIdentifier(number: 2)))
        #expect(kiosk.captures.count == 2)
        #expect(kiosk.scene == Scene(.preview))
        kiosk.save(kiosk.accepted[1])
        #expect(kiosk.scene?.review?.assetID == "asset 2")
    }

    @Test("an earlier photo that is saved late does not replace a later one in review")
    func saveOrder() {
        var kiosk = Driver { $0.reviewSeconds = 1 }
        kiosk.press()
        kiosk.press()
        kiosk.save(kiosk.accepted[1])
        kiosk.save(kiosk.accepted[0])
        #expect(kiosk.scene?.review?.assetID == "asset 2")
        #expect(kiosk.machine.counts.saved == 2)
        kiosk.wait(second)
        #expect(kiosk.scene == hint)
    }

    @Test("a photo saved during the next countdown does not cover the countdown")
    func saveInCountdown() {
        var kiosk = Driver {
            $0.reviewSeconds = 2
            $0.countdownSeconds = 1
        }
        kiosk.press()
        kiosk.wait(second)
        kiosk.press()
        #expect(kiosk.machine.state == .countdown)
        kiosk.save(kiosk.accepted[0])
        #expect(kiosk.scene?.countdown != nil)
        #expect(kiosk.results[kiosk.accepted[0]] != nil)
    }

    @Test("presses beyond the maximum in flight are busy until a photo is saved")
    func maximumInFlight() {
        var kiosk = Driver()
        for _ in 0..<8 { kiosk.press() }
        #expect(kiosk.machine.photosInFlight == 8)
        #expect(kiosk.lamp == false)
        #expect(kiosk.press() == .busy(reason: "8 photos are still being saved."))
        #expect(kiosk.scene?.notice?.kind == .progress)
        kiosk.save(kiosk.accepted[3])
        #expect(kiosk.lamp == true)
        #expect(kiosk.press() == .accepted(ShotIdentifier(number: 9)))
        #expect(kiosk.captures.count == 9)
    }

    @Test(
        "memory limits the photos in flight to between 4 and 32",
        arguments: [
            (640 * 480 * 4, 32), (1280 * 720 * 4, 18), (1920 * 1080 * 4, 8),
            (3840 * 2160 * 3 / 2, 5),
            (3840 * 2160 * 4, 4), (0, 32),
        ])
    func photosInFlight(_ frameBytes: Int, _ count: Int) {
        #expect(KioskConfiguration.photosInFlight(frameBytes: frameBytes) == count)
    }

    @Test("a photo waits while others are saved, and is given up 60 s after the last")
    func slowLibrary() {
        var kiosk = Driver()
        for _ in 0..<4 { kiosk.press() }
        for shot in kiosk.accepted { kiosk.send(.captured(shot)) }
        for shot in kiosk.accepted.prefix(3) {
            kiosk.wait(50 * second)
            kiosk.save(shot)
        }
        #expect(kiosk.machine.counts.unanswered == 0)
        kiosk.wait(60 * second)
        #expect(kiosk.machine.counts.unanswered == 1)
        #expect(kiosk.results[kiosk.accepted[3]] == .failed(reason: "the library did not answer"))
    }

    @Test("a failed capture turns the flash off and shows a failure")
    func captureFailed() {
        var kiosk = Driver()
        kiosk.press()
        kiosk.send(.captureFailed(kiosk.accepted[0], reason: "stalled"))
        #expect(kiosk.results[kiosk.accepted[0]] == .failed(reason: "stalled"))
        #expect(kiosk.flash == false)
        #expect(kiosk.scene?.notice == .init(.failure, KioskTexts().captureFailed))
        kiosk.wait(4 * second)
        #expect(kiosk.scene == hint)
    }

    @Test("a failed save shows a failure that no later success replaces")
    func saveFailed() {
        var kiosk = Driver()
        kiosk.press()
        kiosk.press()
        kiosk.send(.captured(kiosk.accepted[0]))
        kiosk.send(.saveFailed(kiosk.accepted[0], reason: "EIO"))
        kiosk.save(kiosk.accepted[1])
        #expect(kiosk.scene?.notice == .init(.failure, KioskTexts().saveFailed))
        kiosk.wait(4 * second)
        #expect(kiosk.scene == hint)
    }

    @Test("the screen says that a photo is being saved after 0.7 s")
    func saving() {
        var kiosk = Driver()
        kiosk.press()
        kiosk.send(.captured(kiosk.accepted[0]))
        #expect(kiosk.scene == Scene(.preview))
        kiosk.wait(700 * millisecond)
        #expect(kiosk.scene?.notice == .init(.progress, "Saving…"))
    }

    @Test("a shot without an answer is abandoned; a failed one is not")
    func unanswered() {
        var kiosk = Driver()
        kiosk.press()
        kiosk.press()
        kiosk.send(.captured(kiosk.accepted[1]))
        kiosk.wait(10 * second)
        #expect(kiosk.results[kiosk.accepted[0]] != nil)
        #expect(kiosk.abandoned == [kiosk.accepted[0]])
        #expect(kiosk.flash == false)
        kiosk.wait(60 * second)
        #expect(kiosk.abandoned == Set(kiosk.accepted))
        #expect(kiosk.machine.photosInFlight == 0)
        #expect(kiosk.machine.counts.unanswered == 2)
        kiosk.save(kiosk.accepted[0])
        #expect(kiosk.machine.counts.repeatedAnswers == 1)
        #expect(kiosk.machine.counts.saved == 0)
        kiosk.press()
        kiosk.send(.captureFailed(kiosk.accepted[2], reason: "answered"))
        #expect(!kiosk.abandoned.contains(kiosk.accepted[2]))
    }

    @Test("stopping cancels a running countdown; a captured photo is still saved")
    func stopping() {
        var kiosk = Driver { $0.countdownSeconds = 3 }
        kiosk.press()
        kiosk.wait(3 * second)
        kiosk.press()
        kiosk.send(.stopping)
        #expect(kiosk.results == [kiosk.accepted[1]: .cancelled])
        #expect(kiosk.scene?.notice == .init(.progress, KioskTexts().cancelled))
        kiosk.send(.captured(kiosk.accepted[0]))
        kiosk.save(kiosk.accepted[0])
        #expect(kiosk.machine.counts.saved == 1)
    }

    @Test("a press that waits for the flash when the kiosk stops becomes a photo")
    func stoppingBeforeTheLight() {
        var kiosk = Driver {
            $0.hasFlash = true
            $0.flashLeadMilliseconds = 500
        }
        kiosk.press()
        kiosk.send(.stopping)
        #expect(kiosk.results.isEmpty)
        kiosk.wait(500 * millisecond)
        #expect(kiosk.captures[kiosk.accepted[0]] == kiosk.now)
        kiosk.save(kiosk.accepted[0])
        #expect(kiosk.machine.counts.saved == 1)
    }

    @Test("a stopping kiosk refuses photos and turns its lamp off")
    func pressWhileStopping() {
        var kiosk = Driver()
        kiosk.send(.stopping)
        #expect(kiosk.lamp == false)
        #expect(kiosk.press() == .impossible(reason: "The kiosk is stopping."))
        #expect(kiosk.captures.isEmpty)
    }

    @Test("a second photo restarts the maximum time of the flash")
    func flashMaximum() {
        var kiosk = Driver()
        kiosk.press()
        kiosk.wait(600 * millisecond)
        kiosk.press()
        #expect(kiosk.flash == true)
        kiosk.wait(999 * millisecond)
        #expect(kiosk.flash == true)
        kiosk.wait(1 * millisecond)
        #expect(kiosk.flash == false)
        kiosk.press()
        #expect(kiosk.flash == true)
    }

    @Test("repeated and unknown answers are ignored and counted")
    func strays() {
        var kiosk = Driver()
        kiosk.press()
        let id = kiosk.accepted[0]
        kiosk.send(.captured(id))
        kiosk.send(.captured(id))
        kiosk.send(.captureFailed(id, reason: "twice"))
        kiosk.save(id)
        kiosk.save(id)
        kiosk.send(.saveFailed(id, reason: "late"))
        #expect(kiosk.machine.counts.repeatedAnswers == 4)
        kiosk.send(.captured(ShotIdentifier(number: 2)))
        kiosk.send(.saveFailed(ShotIdentifier(number: 0), reason: ""))
        #expect(kiosk.machine.counts.unknownAnswers == 2)
        #expect(kiosk.results.count == 1)
    }
}
