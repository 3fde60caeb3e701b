// SPDX-License-Identifier: GPL-3.0-or-later

import Media
import Screens
import Testing

@Suite("Preview retry state")
struct PreviewRetryStateTests {
    /// The events of a display, and what they require.
    private final class Told {
        private var showing = PreviewRetryState()
        func comes(_ path: PreviewPath?, isRunning: Bool = true) -> Bool {
            showing.came((path, isRunning: isRunning))
        }
        func began(_ path: PreviewPath?) -> PreviewRetryState.Verdict { showing.began(path) }
        func goes() { showing.went() }
        func fails() { showing.failed() }
        func succeeds() { showing.succeeded() }
    }
    private let told = Told()

    @Test("a display that comes renegotiates only a running stream that it does not show")
    func came() {
        #expect(!told.comes(nil, isRunning: false))
        #expect(!told.comes(.exported))
        #expect(told.comes(nil))
    }

    @Test(
        "a display that had gone renegotiates the stream once, whatever it was",
        arguments: [PreviewPath.exported, nil])
    func went(path: PreviewPath?) {
        told.goes()
        #expect(told.comes(path, isRunning: path != nil))
        #expect(!told.comes(.exported))
    }

    @Test("a stream that cannot be shown is renegotiated once, then the display is dark")
    func dark() {
        #expect(told.began(nil) == .renegotiate)
        #expect(told.began(nil) == .dark)
        #expect(told.began(.copied) == .shown)
        #expect(!told.comes(.copied))
        #expect(told.began(nil) == .renegotiate)
    }

    @Test("a failed display does not show the stream just because a path was negotiated")
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
