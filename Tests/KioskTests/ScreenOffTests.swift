// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Testing

@Suite("kiosk: the screen is switched off")
struct ScreenOffTests {
    private func kiosk(review: Double = 0) -> Driver {
        Driver {
            $0.screenOffSeconds = 60
            $0.reviewSeconds = review
        }
    }

    @Test(
        "when nobody has pressed anything for the time; the press that switches it on does nothing else"
    )
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

    @Test("what moves before the camera keeps it on and lights it up, and is no press")
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

    @Test("not while a photo is on its way or shown, but during a fault")
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

    @Test("somebody who asks for a photo gets one, also of a kiosk whose screen is off")
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

    @Test("never, unless that is configured")
    func never() {
        var kiosk = Driver()
        kiosk.wait(1_000_000 * second)
        #expect(kiosk.isScreenOn && kiosk.machine.nextDeadline == nil)
    }
}
