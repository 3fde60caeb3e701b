// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Testing

@Suite("kiosk: occupied by another capture")
struct OccupationTests {
    private let reason = "Photos of other exposures are being taken."

    @Test("an occupied kiosk refuses presses as busy, and is ready again afterwards")
    func occupied() {
        var kiosk = Driver { $0.hasOtherCamera = true }
        #expect(kiosk.machine.isReady && kiosk.scene?.hint != nil && kiosk.lamp == true)
        kiosk.send(.occupied(reason))
        #expect(!kiosk.machine.isReady && kiosk.machine.state == .capturing)
        #expect(kiosk.scene?.hint == nil && kiosk.lamp == false)
        #expect(kiosk.machine.obstacleToAnotherCamera == reason)
        let actions: [KioskAction] = [.photo, .burst, .loop, .primary, .record, .timelapse]
        for action in actions + [.switchCamera] {
            #expect(kiosk.press(action) == .busy(reason: reason), "\(action)")
        }
        #expect(kiosk.scene?.notice?.text == KioskTexts().wait)
        #expect(kiosk.machine.counts.accepted == 0)
        kiosk.send(.occupied(nil))
        #expect(kiosk.machine.isReady && kiosk.machine.state == .live)
        guard case .accepted? = kiosk.press(.photo) else {
            Issue.record("no photo afterwards")
            return
        }
    }

    @Test("an occupied kiosk still sleeps, wakes and handles other presses")
    func others() {
        var kiosk = Driver { $0.screenOffSeconds = 60 }
        kiosk.send(.occupied(reason))
        kiosk.wait(61 * second)
        #expect(kiosk.machine.state == .asleep)
        #expect(kiosk.press(.photo) == .performed)
        #expect(kiosk.machine.state == .capturing)
        #expect(kiosk.press(.endSession) == .ignored)
    }
}
