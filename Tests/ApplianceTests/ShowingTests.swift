// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import Media
import Testing

@Suite("What a display shows of the camera's stream")
struct ShowingTests {
    @Test("a display that comes has the stream agreed anew where it shows nothing of it")
    func came() {
        var showing = Showing()
        #expect(!showing.came((nil, isRunning: false)))
        #expect(!showing.came((.exported, isRunning: true)))
        #expect(showing.came((nil, isRunning: true)))
    }

    @Test(
        "one that had gone has it agreed anew, whatever was agreed, even where nothing runs yet",
        arguments: [PreviewPath.exported, nil])
    func went(path: PreviewPath?) {
        var showing = Showing()
        showing.went()
        #expect(showing.came((path, isRunning: path != nil)))
        #expect(!showing.came((.exported, isRunning: true)))
    }

    @Test(
        "what it cannot show is agreed anew at once, once, and then it is dark, until it comes anew"
    )
    func dark() {
        var showing = Showing()
        #expect(showing.began(nil) == .agreeAnew)
        #expect(showing.began(nil) == .dark)
        #expect(showing.began(.copied) == .shown)
        _ = showing.came((.copied, isRunning: true))
        #expect(showing.began(nil) == .agreeAnew)
    }

    @Test("one that has given the stream up does not show it because a way was agreed")
    func failed() {
        var showing = Showing()
        #expect(showing.began(.decoded) == .shown)
        showing.failed()
        #expect(showing.began(.decoded) == .unchanged)
        showing.succeeded()
        #expect(showing.began(.decoded) == .shown)
        showing.failed()
        showing.went()
        #expect(showing.came((.decoded, isRunning: true)) && showing.began(.decoded) == .shown)
    }
}
