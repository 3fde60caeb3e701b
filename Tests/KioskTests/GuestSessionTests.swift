// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Testing

private func numbers(_ kiosk: Driver) -> [Int64] { kiosk.sessions.map(\.number) }

@Suite("kiosk: guests")
struct GuestSessionTests {
    @Test("photos of one visit bear one session, until nobody has pressed anything for a while")
    func idle() {
        var kiosk = Driver { $0.sessionIdleSeconds = 30 }
        #expect(kiosk.machine.guestSession == nil)
        for _ in 0..<3 {
            kiosk.press()
            kiosk.wait(29 * second)
        }
        kiosk.wait(second - 1)
        #expect(kiosk.machine.guestSession == SessionNumber(number: 1))
        kiosk.wait(1)
        #expect(kiosk.machine.guestSession == nil)
        kiosk.press()
        #expect(numbers(kiosk) == [1, 1, 1, 2])
    }

    @Test("a press that takes no photo prolongs a visit and begins none")
    func otherPress() {
        var kiosk = Driver { $0.sessionIdleSeconds = 30 }
        kiosk.press(.none)
        kiosk.press(.cancel)
        #expect(kiosk.machine.guestSession == nil)
        kiosk.press()
        kiosk.wait(20 * second)
        kiosk.press(.none)
        kiosk.wait(20 * second)
        kiosk.press()
        #expect(numbers(kiosk) == [1, 1])
    }

    @Test("the end of a session says goodbye once; the next photo is the next guest's")
    func end() {
        var kiosk = Driver()
        #expect(kiosk.press(.endSession) == .ignored)
        kiosk.press()
        kiosk.save(kiosk.accepted[0])
        #expect(kiosk.press(.endSession) == .performed)
        #expect(kiosk.scene?.notice?.text == KioskTexts().sessionEnded)
        #expect(kiosk.press(.endSession) == .ignored)
        kiosk.press()
        #expect(numbers(kiosk) == [1, 2])
    }

    @Test("the end of a session takes back a countdown and ends a review")
    func endOfCountdown() {
        var kiosk = Driver {
            $0.countdownSeconds = 3
            $0.reviewSeconds = 4
        }
        kiosk.press()
        #expect(kiosk.press(.endSession) == .performed)
        #expect(kiosk.results.values.map { $0 } == [.cancelled])
        #expect(kiosk.machine.guestSession == nil)
        kiosk.press()
        kiosk.wait(3 * second)
        kiosk.save(kiosk.accepted[1])
        #expect(kiosk.machine.state == .review)
        #expect(kiosk.press(.endSession) == .performed)
        #expect(kiosk.machine.state == .live)
        #expect(numbers(kiosk) == [2])
    }

    @Test("a photo that was pressed for before the end belongs to the session that ended")
    func lateCapture() {
        var kiosk = Driver {
            $0.countdownSeconds = 20
            $0.sessionIdleSeconds = 5
        }
        kiosk.press()
        kiosk.wait(21 * second)
        #expect(kiosk.machine.guestSession == nil)
        #expect(numbers(kiosk) == [1])
    }
}

@Suite("kiosk: one button")
struct OneButtonTests {
    @Test("primary takes a photo, and another during the review; it stops a countdown")
    func primary() {
        var kiosk = Driver {
            $0.countdownSeconds = 3
            $0.reviewSeconds = 4
        }
        kiosk.press(.primary)
        #expect(kiosk.machine.state == .countdown)
        #expect(kiosk.press(.primary) == .performed)
        #expect(kiosk.machine.state == .live)
        kiosk.press(.primary)
        kiosk.wait(3 * second)
        kiosk.save(kiosk.accepted[1])
        #expect(kiosk.machine.state == .review)
        kiosk.press(.primary)
        #expect(kiosk.machine.state == .countdown)
    }

    @Test("secondary goes back: out of a countdown, out of a review, then out of the session")
    func secondary() {
        var kiosk = Driver {
            $0.countdownSeconds = 3
            $0.reviewSeconds = 4
        }
        #expect(kiosk.press(.secondary) == .ignored)
        kiosk.press(.primary)
        #expect(kiosk.press(.secondary) == .performed)
        #expect(kiosk.machine.state == .live && kiosk.machine.guestSession != nil)
        kiosk.press(.primary)
        kiosk.wait(3 * second)
        kiosk.save(kiosk.accepted[1])
        #expect(kiosk.press(.secondary) == .performed)
        #expect(kiosk.machine.state == .live && kiosk.machine.guestSession != nil)
        #expect(kiosk.press(.secondary) == .performed)
        #expect(kiosk.machine.guestSession == nil)
    }

    @Test("with a fault on the screen primary says why there is no photo")
    func fault() {
        var kiosk = Driver()
        kiosk.send(.problem(KioskProblem(code: "camera.missing", effect: .noPreview)))
        guard case .impossible? = kiosk.press(.primary) else {
            Issue.record("a photo without a camera")
            return
        }
    }
}

@Suite("kiosk: gestures that take time")
struct LateGestureTests {
    @Test("a countdown is as long as ever after a long press, and has a flash only while it runs")
    func countdown() {
        var kiosk = Driver {
            $0.countdownSeconds = 3
            $0.hasFlash = true
            $0.flashLeadMilliseconds = 2000
        }
        kiosk.press(age: 2 * second)
        #expect(kiosk.machine.state == .countdown)
        kiosk.wait(1500 * millisecond)
        #expect(kiosk.flash == true)
        #expect(kiosk.press(.cancel) == .performed)
        #expect(kiosk.flash == false && kiosk.machine.state == .live)
    }

    @Test(
        "a light that is on during the countdown goes on with it, off behind the photo, and does not move that",
        arguments: [false, true])
    func ringLight(isCancelled: Bool) {
        func kiosk(_ lightsCountdown: Bool) -> Driver {
            Driver {
                $0.countdownSeconds = 5
                $0.hasFlash = true
                $0.flashMaximumMilliseconds = 1000
                $0.flashLightsCountdown = lightsCountdown
            }
        }
        var ring = kiosk(true)
        var usual = kiosk(false)
        ring.press()
        usual.press()
        #expect(ring.flash == true && usual.flash == false)
        ring.wait(4 * second)
        #expect(ring.flash == true)
        if isCancelled {
            #expect(ring.press(.cancel) == .performed)
            #expect(ring.flash == false)
            return
        }
        ring.wait(second)
        usual.wait(5 * second)
        #expect(ring.captures.values.first == usual.captures.values.first)
        #expect(ring.flash == true)
        ring.send(.captured(ring.accepted[0]))
        ring.wait(100 * millisecond)
        #expect(ring.flash == false)
        // Without a countdown it is as ever: the photo is so much later than the press.
        var late = Driver {
            $0.hasFlash = true
            $0.flashLightsCountdown = true
        }
        late.press()
        #expect(late.flash == true)
        late.wait(2 * second)
        // Nobody answers: its longest time is over.
        #expect(late.flash == false)
    }

    @Test("a photo of a long press is not said to be late at once")
    func notice() {
        var kiosk = Driver()
        kiosk.press(age: 900 * millisecond)
        #expect(kiosk.captures.values.first == kiosk.now - 900 * millisecond)
        #expect(kiosk.scene?.notice == nil)
        kiosk.wait(700 * millisecond)
        #expect(kiosk.scene?.notice?.kind == .progress)
    }

    @Test("the end of a session takes back every photo that is not taken yet")
    func severalWaiting() {
        var kiosk = Driver {
            $0.hasFlash = true
            $0.flashLeadMilliseconds = 800
            $0.flashMaximumMilliseconds = 5000
        }
        kiosk.press()
        kiosk.press()
        #expect(kiosk.press(.endSession) == .performed)
        kiosk.wait(3 * second)
        #expect(kiosk.captures.isEmpty && kiosk.results.count == 2)
    }
}
