// SPDX-License-Identifier: GPL-3.0-or-later

import Health
import Testing

@Suite("ProblemList")
struct ProblemListTests {
    private func problem(_ code: String) -> ProblemList.Problem {
        ProblemList.Problem(code: code, message: code, severity: .failed)
    }

    @Test("replacing the problems of a prefix leaves all others")
    func replace() {
        var list = ProblemList()
        list.raise("camera.missing", "", .failed)
        list.replace(
            prefix: "library.", with: [problem("library.full"), problem("library.restored")])
        let change = list.replace(
            prefix: "library.", with: [problem("library.restored"), problem("library.stalled")])
        #expect(change.new == ["library.stalled"] && change.gone == ["library.full"])
        #expect(list.all.map(\.code) == ["camera.missing", "library.restored", "library.stalled"])
        #expect(list.replace(prefix: "camera.", with: []).gone == ["camera.missing"])
        #expect(list.health == "failed")
    }
}
