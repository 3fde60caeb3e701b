// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Testing

private func numbers(_ kiosk: Driver) -> [Int64] { kiosk.sessions.map(\.number) }

@Suite("kiosk: guest sessions")
struct GuestSessionTests {
    @Test("photos share a session until nobody has pressed for the idle time")
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

    @Test("a press without a photo prolongs a session but begins none")
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

    @Test("ending a session says goodbye once; the next photo starts a new session")
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

    @Test("the end of a session cancels a countdown and ends a review")
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

    @Test("a photo pressed before the session's end belongs to that session")
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
    @Test("primary takes a photo, even during a review, and cancels a countdown")
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

    @Test("secondary cancels a countdown, ends a review, and finally ends the session")
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

    @Test("primary is refused while a fault is on the screen")
    func fault() {
        var kiosk = Driver()
        kiosk.send(.problem(KioskProblem(code: "camera.missing", effect: .noPreview)))
        guard case .impossible? = kiosk.press(.primary) else {
            Issue.record("a photo without a camera")
            return
        }
    }
}

@Suite("kiosk: long presses")
struct LateGestureTests {
    @Test("a long press gets a full countdown, whose flash goes off on cancel")
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
        "a countdown light is on until the photo and does not move its moment",
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
        // Without a countdown the light goes on at the press, and the photo waits for its lead.
        var late = Driver {
            $0.hasFlash = true
            $0.flashLightsCountdown = true
        }
        late.press()
        #expect(late.flash == true)
        late.wait(2 * second)
        // The capture is unanswered, so the maximum time turns the flash off.
        #expect(late.flash == false)
    }

    @Test("a photo by a long press is reported as slow only after the usual delay")
    func notice() {
        var kiosk = Driver()
        kiosk.press(age: 900 * millisecond)
        #expect(kiosk.captures.values.first == kiosk.now - 900 * millisecond)
        #expect(kiosk.scene?.notice == nil)
        kiosk.wait(700 * millisecond)
        #expect(kiosk.scene?.notice?.kind == .progress)
    }

    @Test("the end of a session cancels every photo that waits for the flash")
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
