// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import TestSupport
import Testing

@Suite("kiosk: views")
struct ViewingTests {
    private let photo = Scene.Viewing(
        title: "Mia", picture: "1", place: Scene.Viewing.Place(number: 1, count: 2))
    private let clip = Scene.Viewing(
        title: "Clip", progress: Scene.Viewing.Progress(elapsed: 1, duration: 4, step: 60))

    /// A kiosk whose guest has taken a photo.
    private func visited(_ change: (inout KioskConfiguration) -> Void = { _ in }) -> Driver {
        var kiosk = Driver(change)
        kiosk.press()
        kiosk.save(kiosk.accepted[0])
        kiosk.wait(2 * second)
        return kiosk
    }

    @Test("browse shows the visit, next and previous turn, and any other press leaves")
    func browse() throws {
        for action in [KioskAction.browse, .photo, .cancel, .primary, .secondary, .record] {
            var kiosk = visited()
            #expect(kiosk.press(.browse) == .performed)
            let view = try #require(kiosk.view)
            #expect(kiosk.views[view] == .visit(kiosk.sessions[0]))
            // The live picture stays until there is something to show.
            #expect(kiosk.scene?.viewing == nil && kiosk.machine.state == .live)
            kiosk.send(.viewShows(view, photo))
            #expect(kiosk.scene?.viewing == photo && kiosk.scene?.background == .black)
            #expect(kiosk.machine.state == .viewing)
            #expect(kiosk.press(.next) == .performed)
            #expect(kiosk.press(.previous) == .performed)
            #expect(kiosk.turns == [1, -1])
            kiosk.send(.viewShows(view, clip))
            #expect(kiosk.scene?.viewing == clip && kiosk.scene?.background == .preview)
            #expect(kiosk.press(action) == .performed)
            #expect(kiosk.endedViews == [view] && kiosk.scene?.viewing == nil)
            #expect(kiosk.machine.state == .live)
            // The press did nothing else.
            #expect(kiosk.accepted.count == 1 && kiosk.begun.isEmpty)
            #expect(kiosk.machine.guestSession != nil)
            // Late answers change nothing.
            kiosk.send(.viewShows(view, photo))
            kiosk.send(.viewEnded(view, .over))
            #expect(kiosk.scene?.viewing == nil)
        }
    }

    @Test("without a visit there is nothing to see, and next and previous do nothing")
    func empty() {
        var kiosk = Driver()
        #expect(kiosk.press(.browse) == .ignored)
        #expect(kiosk.view == nil)
        #expect(kiosk.scene?.notice?.text == KioskTexts().nothingToSee)
        #expect(kiosk.press(.next) == .ignored)
        #expect(kiosk.press(.previous) == .ignored)
        kiosk = visited()
        kiosk.press(.browse)
        kiosk.send(.viewEnded(ViewIdentifier(number: 1), .empty))
        #expect(kiosk.view == nil)
        #expect(kiosk.scene?.notice?.text == KioskTexts().nothingToSee)
    }

    @Test("a command's press takes a photo, and a goodbye ends the visit, too")
    func command() throws {
        var kiosk = visited()
        kiosk.press(.browse)
        kiosk.send(.viewShows(try #require(kiosk.view), photo))
        let press = KioskPress(.photo, timestamp: kiosk.now, from: .command)
        guard case .accepted = kiosk.send(.press(press)).verdict else {
            Issue.record("not accepted")
            return
        }
        #expect(kiosk.view == nil && kiosk.accepted.count == 2)
        kiosk.save(kiosk.accepted[1])
        kiosk.press(.browse)
        kiosk.send(.viewShows(try #require(kiosk.view), photo))
        #expect(kiosk.press(.endSession) == .performed)
        #expect(kiosk.view == nil && kiosk.machine.guestSession == nil)
    }

    @Test("a photo makes way after the idle time, and a clip when its owner is silent")
    func idle() throws {
        var kiosk = visited()
        kiosk.press(.browse)
        let view = try #require(kiosk.view)
        kiosk.send(.viewShows(view, photo))
        kiosk.wait(29 * second)
        #expect(kiosk.machine.state == .viewing)
        kiosk.press(.next)
        kiosk.wait(29 * second)
        #expect(kiosk.machine.state == .viewing)
        // A clip is played to its end, however long it is.
        for step in 0..<100 {
            let progress = Scene.Viewing.Progress(elapsed: step, duration: 100)
            kiosk.send(.viewShows(view, Scene.Viewing(title: "", progress: progress)))
            kiosk.press(.none)
            kiosk.wait(second)
        }
        #expect(kiosk.machine.state == .viewing)
        kiosk.wait(30 * second)
        #expect(kiosk.machine.state == .live && kiosk.view == nil)
        // A view that never shows anything ends, too.
        kiosk.press()
        kiosk.save(kiosk.accepted[1])
        kiosk.press(.browse)
        kiosk.wait(15 * second)
        #expect(kiosk.view == nil)
        #expect(kiosk.scene?.notice?.text == KioskTexts().viewFailed)
    }

    @Test("a clip is played after it was recorded, unless something else goes on")
    func clipReview() throws {
        let saved = SavedPhoto(assetID: "clip", fileName: "clip.mp4")
        for disturbance in [nil, KioskEvent.problem(full), .stopping] {
            var kiosk = Driver { $0.reviewSeconds = 3 }
            guard case .recording(let id, begins: true)? = kiosk.press(.record) else {
                Issue.record("no recording")
                return
            }
            kiosk.wait(3 * second)
            kiosk.press(.record)
            if let disturbance { kiosk.send(disturbance) }
            kiosk.send(.recordingEnded(id, .saved(saved, isCut: false)))
            guard disturbance == nil else {
                #expect(kiosk.views.isEmpty)
                continue
            }
            let view = try #require(kiosk.view)
            #expect(kiosk.views[view] == .clip(saved))
            kiosk.send(.viewShows(view, clip))
            #expect(kiosk.scene?.notice?.text == KioskTexts().movieSaved)
            #expect(kiosk.scene?.viewing == clip)
            kiosk.send(.viewEnded(view, .over))
            #expect(kiosk.scene?.viewing == nil && kiosk.machine.state == .live)
        }
        // The next photo or clip can be taken at once.
        for action in [KioskAction.photo, .record] {
            var kiosk = Driver { $0.reviewSeconds = 3 }
            guard case .recording(let id, begins: true)? = kiosk.press(.record) else { return }
            kiosk.press(.record)
            kiosk.send(.recordingEnded(id, .saved(saved, isCut: false)))
            kiosk.send(.viewShows(try #require(kiosk.view), clip))
            kiosk.press(action)
            #expect(kiosk.view == nil)
            #expect(kiosk.accepted.count + kiosk.begun.count == 2)
        }
        // Without reviews, clips are not played.
        var kiosk = Driver()
        guard case .recording(let id, begins: true)? = kiosk.press(.record) else { return }
        kiosk.press(.record)
        kiosk.send(.recordingEnded(id, .saved(saved, isCut: false)))
        #expect(kiosk.views.isEmpty)
    }

    @Test("an order replaces another one; a problem, a countdown or a clip refuses it")
    func orders() throws {
        var kiosk = Driver { $0.countdownSeconds = 3 }
        #expect(kiosk.send(.order(7)).verdict == .performed)
        let first = try #require(kiosk.view)
        kiosk.send(.viewShows(first, clip))
        #expect(kiosk.send(.order(8)).verdict == .performed)
        #expect(kiosk.endedViews == [first])
        let second = try #require(kiosk.view)
        #expect(kiosk.views[second] == .order(8))
        kiosk.send(.viewShows(second, clip))
        #expect(!kiosk.machine.isIdle || kiosk.lamp == true)
        kiosk.send(.problem(noCamera))
        #expect(kiosk.view == nil && kiosk.machine.state == .fault)
        guard case .impossible? = kiosk.send(.order(9)).verdict else {
            Issue.record("not refused")
            return
        }
        kiosk.send(.problemGone(code: noCamera.code))
        kiosk.press()
        guard case .busy? = kiosk.send(.order(10)).verdict else {
            Issue.record("not refused")
            return
        }
        kiosk.press(.cancel)
        kiosk.press(.record)
        guard case .busy? = kiosk.send(.order(11)).verdict else {
            Issue.record("not refused")
            return
        }
    }

    @Test("the screen stays on during a view, and a press that wakes it does nothing else")
    func sleep() throws {
        var kiosk = visited { $0.screenOffSeconds = 20 }
        kiosk.send(.order(1))
        let view = try #require(kiosk.view)
        for step in 0..<40 {
            kiosk.send(
                .viewShows(
                    view,
                    Scene.Viewing(
                        title: "", progress: Scene.Viewing.Progress(elapsed: step, isLive: true))))
            kiosk.wait(second)
        }
        #expect(kiosk.isScreenOn)
        kiosk.send(.viewEnded(view, .over))
        kiosk.wait(20 * second)
        #expect(!kiosk.isScreenOn)
        #expect(kiosk.press(.browse) == .performed)
        #expect(kiosk.view == nil && kiosk.isScreenOn)
    }
}
