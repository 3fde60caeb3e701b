// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Testing

@Suite("loops and timelapses at the kiosk")
struct KioskTimelapseTests {
    @Test("a loop takes the configured seconds and is not reviewed")
    func loop() throws {
        var kiosk = Driver {
            $0.loopSeconds = 1.5
            $0.reviewSeconds = 4
        }
        guard case .accepted(let id)? = kiosk.press(.loop) else {
            Issue.record("no loop")
            return
        }
        #expect(kiosk.kinds[id] == .loop(seconds: 1.5))
        kiosk.send(.captured(id))
        kiosk.save(id)
        #expect(kiosk.machine.state == .live && kiosk.scene?.review == nil)
        #expect(kiosk.scene?.notice?.kind == .success)
    }

    @Test("a press begins a timelapse, the next ends it, and the screen says so")
    func toggle() throws {
        var kiosk = Driver()
        #expect(kiosk.press(.timelapse) == .performed && kiosk.timelapses == 1)
        kiosk.send(.timelapse(.begun))
        #expect(kiosk.scene?.notice?.text == KioskTexts().timelapseBegun)
        #expect(kiosk.press(.timelapse) == .performed && kiosk.timelapses == 2)
        kiosk.send(.timelapse(.saved(isCut: false)))
        #expect(kiosk.scene?.notice == .init(.success, KioskTexts().timelapseSaved))
        kiosk.press(.timelapse)
        kiosk.send(.timelapse(.begun))
        kiosk.send(.timelapse(.saved(isCut: true)))
        #expect(kiosk.scene?.notice == .init(.failure, KioskTexts().timelapseCut))
    }

    @Test("a problem refuses a new timelapse, but a running one can be ended")
    func fault() throws {
        var kiosk = Driver()
        let full = KioskProblem(code: "library.full", effect: .noPhotos)
        kiosk.send(.problem(full))
        guard case .impossible? = kiosk.press(.timelapse) else {
            Issue.record("a timelapse without room")
            return
        }
        kiosk.send(.problemGone(code: "library.full"))
        kiosk.press(.timelapse)
        kiosk.send(.timelapse(.begun))
        kiosk.send(.problem(full))
        #expect(kiosk.press(.timelapse) == .performed && kiosk.timelapses == 2)
        kiosk.send(.timelapse(.failed(reason: "the disk is full")))
        #expect(kiosk.machine.state == .fault)
    }

    @Test("a timelapse or loop without room is refused; photos are still taken")
    func noRoom() throws {
        var kiosk = Driver { $0.loopSeconds = 1 }
        kiosk.send(.problem(KioskProblem(code: "library.low", effect: .noClips)))
        for action in [KioskAction.timelapse, .loop] {
            guard case .impossible(let reason)? = kiosk.press(action) else {
                Issue.record("\(action) without room")
                return
            }
            #expect(reason == kiosk.machine.obstacleToMovies)
        }
        #expect(kiosk.timelapses == 0 && kiosk.machine.obstacle == nil)
        guard case .accepted? = kiosk.press(.photo) else {
            Issue.record("no photo")
            return
        }
    }

    @Test("a press switches cameras, but not during a photo or clip")
    func otherCamera() throws {
        var alone = Driver()
        #expect(alone.press(.switchCamera) == .ignored && alone.cameraSwitches == 0)
        var kiosk = Driver { $0.hasOtherCamera = true }
        #expect(kiosk.press(.switchCamera) == .performed && kiosk.cameraSwitches == 1)
        guard case .accepted(let id)? = kiosk.press(.photo),
            case .busy? = kiosk.press(.switchCamera)
        else {
            Issue.record("a photo of which nobody knows whose it is")
            return
        }
        kiosk.send(.captured(id))
        kiosk.save(id)
        #expect(kiosk.press(.switchCamera) == .performed)
        kiosk.press(.record)
        guard case .busy? = kiosk.press(.switchCamera) else {
            Issue.record("a clip of two cameras")
            return
        }
        kiosk.press(.record)
        // A missing camera does not prevent the switch, because the other one may work.
        var blind = Driver { $0.hasOtherCamera = true }
        blind.send(.problem(KioskProblem(code: "camera.missing", effect: .noPreview)))
        #expect(blind.press(.switchCamera) == .performed)
    }

    @Test("the camera can be switched during a timelapse, which can still be ended")
    func otherCameraOfTimelapse() {
        var kiosk = Driver { $0.hasOtherCamera = true }
        kiosk.press(.timelapse)
        kiosk.send(.timelapse(.begun))
        #expect(kiosk.press(.switchCamera) == .performed && kiosk.cameraSwitches == 1)
        #expect(kiosk.timelapses == 1 && kiosk.machine.obstacleToAnotherCamera == nil)
        // The timelapse can be ended even if the new camera is missing.
        kiosk.send(.problem(noCamera))
        #expect(kiosk.press(.timelapse) == .performed && kiosk.timelapses == 2)
    }
}
