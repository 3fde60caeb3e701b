// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Testing

@Suite("kiosk: screen off")
struct ScreenOffTests {
    private func kiosk(review: Double = 0) -> Driver {
        Driver {
            $0.screenOffSeconds = 60
            $0.reviewSeconds = review
        }
    }

    @Test("an idle kiosk switches its screen off, and a press only switches it on")
    func offAndOn() {
        var kiosk = kiosk()
        kiosk.wait(59 * second)
        kiosk.press(.none)
        kiosk.wait(60 * second - 1)
        #expect(kiosk.isScreenOn && kiosk.machine.state == .live)
        kiosk.wait(1)
        #expect(!kiosk.isScreenOn && kiosk.machine.state == .asleep)
        kiosk.wait(3600 * second)
        #expect(kiosk.press() == .performed)
        #expect(kiosk.isScreenOn && kiosk.machine.state == .live)
        #expect(kiosk.captures.isEmpty && kiosk.machine.counts.accepted == 0)
        guard case .accepted? = kiosk.press() else {
            Issue.record("the next press takes no photo")
            return
        }
    }

    @Test("motion keeps the screen on and wakes it, but is no press")
    func motion() {
        var kiosk = kiosk()
        kiosk.wait(59 * second)
        kiosk.send(.motion)
        kiosk.wait(60 * second - 1)
        #expect(kiosk.isScreenOn)
        kiosk.wait(1)
        #expect(!kiosk.isScreenOn)
        kiosk.send(.motion)
        #expect(kiosk.isScreenOn && kiosk.machine.state == .live)
        #expect(kiosk.captures.isEmpty && kiosk.machine.counts.accepted == 0)
        guard case .accepted? = kiosk.press() else {
            Issue.record("the press after it takes no photo")
            return
        }
    }

    @Test("the screen stays on during a photo and its review, but not during a fault")
    func notNow() {
        var kiosk = kiosk(review: 90)
        kiosk.wait(50 * second)
        kiosk.press()
        kiosk.save(kiosk.accepted[0])
        kiosk.wait(80 * second)
        #expect(kiosk.isScreenOn && kiosk.machine.state == .review)
        kiosk.wait(11 * second)
        #expect(!kiosk.isScreenOn)
        kiosk.press(.none)
        kiosk.send(.problem(KioskProblem(code: "camera.missing", effect: .noPreview)))
        #expect(kiosk.isScreenOn && kiosk.machine.state == .fault)
        kiosk.wait(60 * second)
        #expect(!kiosk.isScreenOn)
        kiosk.press()
        #expect(kiosk.isScreenOn && kiosk.machine.state == .fault)
    }

    @Test("a command takes a photo even while the screen is off")
    func commanded() {
        var kiosk = kiosk()
        kiosk.wait(60 * second)
        #expect(kiosk.machine.state == .asleep)
        let outcome = kiosk.send(
            .press(KioskPress(.photo, timestamp: kiosk.now, countdownSeconds: 0, from: .command)))
        guard case .accepted(let shot)? = outcome.verdict else {
            Issue.record("no photo: \(String(describing: outcome.verdict))")
            return
        }
        #expect(kiosk.captures[shot] == kiosk.now && kiosk.isScreenOn)
    }

    @Test("the screen stays on unless a time is configured")
    func never() {
        var kiosk = Driver()
        kiosk.wait(1_000_000 * second)
        #expect(kiosk.isScreenOn && kiosk.machine.nextDeadline == nil)
    }
}
