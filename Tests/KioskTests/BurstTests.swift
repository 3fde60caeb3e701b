// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Testing

@Suite("bursts at the kiosk")
struct KioskBurstTests {
    private func accepted(_ verdict: PressVerdict?) throws -> ShotIdentifier {
        guard case .accepted(let id)? = verdict else {
            throw Refusal(verdict: verdict)
        }
        return id
    }
    private struct Refusal: Error { let verdict: PressVerdict? }

    @Test("a burst is one shot of the configured number of frames from the press's edge")
    func frames() throws {
        var kiosk = Driver { $0.burstCount = 7 }
        let id = try accepted(kiosk.press(.burst, age: 30 * millisecond))
        #expect(kiosk.kinds[id] == .burst(7) && kiosk.captures[id] == kiosk.now - 30 * millisecond)
        #expect(kiosk.machine.state == .capturing)
        kiosk.send(.captured(id))
        kiosk.save(id)
        #expect(kiosk.results[id] != nil && kiosk.machine.counts.saved == 1)
        let photo = try accepted(kiosk.press(.photo))
        #expect(kiosk.kinds[photo] == .photo)
    }

    @Test("a burst recognised late begins then; a photo keeps the moment of its edge")
    func late() throws {
        var kiosk = Driver()
        let burst = try accepted(kiosk.press(.burst, age: 600 * millisecond))
        #expect(kiosk.captures[burst] == kiosk.now)
        let photo = try accepted(kiosk.press(.photo, age: 600 * millisecond))
        #expect(kiosk.captures[photo] == kiosk.now - 600 * millisecond)
    }

    @Test("a command's burst has the number of photos that it asks for")
    func command() throws {
        var kiosk = Driver { $0.countdownSeconds = 3 }
        let press = KioskPress(
            .burst, timestamp: kiosk.now, countdownSeconds: 0, burstCount: 4, from: .command)
        let id = try accepted(kiosk.send(.press(press)).verdict)
        #expect(kiosk.kinds[id] == .burst(4))
    }

    @Test("a countdown precedes a burst and can be cancelled")
    func countdown() throws {
        var kiosk = Driver { $0.countdownSeconds = 2 }
        let id = try accepted(kiosk.press(.burst))
        #expect(kiosk.machine.state == .countdown && kiosk.captures[id] == nil)
        let moment = kiosk.now + 2 * second
        kiosk.wait(2 * second)
        #expect(kiosk.captures[id] == moment)
        kiosk.save(id)
        let other = try accepted(kiosk.press(.burst))
        kiosk.press(.cancel)
        #expect(kiosk.results[other] == .cancelled && kiosk.kinds[other] == nil)
    }

    @Test("an unanswered burst of 60 frames is abandoned after more than a minute")
    func limit() throws {
        var kiosk = Driver { $0.burstCount = 60 }
        let id = try accepted(kiosk.press(.burst))
        kiosk.wait(60 * second)
        #expect(kiosk.results[id] == nil)
        kiosk.wait(10 * second)
        #expect(kiosk.abandoned == [id] && kiosk.machine.counts.unanswered == 1)
    }

    @Test("a burst that is saved slowly is not given up while its parts are saved")
    func slow() throws {
        var kiosk = Driver { $0.burstCount = 40 }
        let id = try accepted(kiosk.press(.burst))
        kiosk.send(.captured(id))
        for _ in 0..<40 {
            kiosk.wait(5 * second)
            kiosk.send(.partSaved(id))
        }
        #expect(kiosk.results[id] == nil)
        kiosk.save(id)
        #expect(kiosk.machine.counts.saved == 1 && kiosk.machine.counts.unanswered == 0)
    }

    @Test("a burst refuses a second burst or loop, but accepts a photo")
    func one() throws {
        var kiosk = Driver { $0.burstCount = 60 }
        let burst = try accepted(kiosk.press(.burst))
        for action in [KioskAction.burst, .loop] {
            guard case .busy? = kiosk.press(action) else {
                Issue.record("\(action) beside a burst")
                continue
            }
        }
        let photo = try accepted(kiosk.press(.photo))
        // The photo's answer comes after the burst's, so the photo waits as long as the burst.
        kiosk.wait(60 * second)
        #expect(kiosk.results[photo] == nil && kiosk.results[burst] == nil)
        kiosk.send(.captured(burst))
        kiosk.send(.captured(photo))
        kiosk.save(burst)
        kiosk.save(photo)
        _ = try accepted(kiosk.press(.loop))
    }
}
