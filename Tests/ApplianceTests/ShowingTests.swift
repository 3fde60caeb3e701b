// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import Media
import Testing

@Suite("What a display shows of the camera's stream")
struct ShowingTests {
    /// What happens, and what is to be done.
    private final class Told {
        private var showing = Showing()
        func comes(_ path: PreviewPath?, isRunning: Bool = true) -> Bool {
            showing.came((path, isRunning: isRunning))
        }
        func began(_ path: PreviewPath?) -> Showing.Verdict { showing.began(path) }
        func goes() { showing.went() }
        func fails() { showing.failed() }
        func succeeds() { showing.succeeded() }
    }
    private let told = Told()

    @Test("a display that comes has the stream agreed anew where it shows nothing of it")
    func came() {
        #expect(!told.comes(nil, isRunning: false))
        #expect(!told.comes(.exported))
        #expect(told.comes(nil))
    }

    @Test(
        "one that had gone has it agreed anew, whatever was agreed, even where nothing runs yet",
        arguments: [PreviewPath.exported, nil])
    func went(path: PreviewPath?) {
        told.goes()
        #expect(told.comes(path, isRunning: path != nil))
        #expect(!told.comes(.exported))
    }

    @Test("what it cannot show is agreed anew once, and then it is dark, until it comes anew")
    func dark() {
        #expect(told.began(nil) == .agreeAnew)
        #expect(told.began(nil) == .dark)
        #expect(told.began(.copied) == .shown)
        #expect(!told.comes(.copied))
        #expect(told.began(nil) == .agreeAnew)
    }

    @Test("one that has given the stream up does not show it because a way was agreed")
    func failed() {
        #expect(told.began(.decoded) == .shown)
        told.fails()
        #expect(told.began(.decoded) == .unchanged)
        told.succeeds()
        #expect(told.began(.decoded) == .shown)
        told.fails()
        told.goes()
        #expect(told.comes(.decoded))
        #expect(told.began(.decoded) == .shown)
    }
}
