// SPDX-License-Identifier: GPL-3.0-or-later

import Commands
import Library
import Testing

@Suite("LibraryHandover")
struct LibraryHandoverTests {
    /// Returns how often the library was requested, and the final refusal. `refusals` are the first
    /// answers.
    private func outlast(
        _ refusals: [LibraryError.Code], attempts: Int
    ) async -> (asked: Int, refusal: LibraryError.Code?) {
        var asked = 0
        do {
            try await LibraryHandover.outlast(attempts: attempts, pause: .zero) {
                asked += 1
                if asked <= refusals.count { throw LibraryError(refusals[asked - 1], "not now") }
            }
            return (asked, nil)
        } catch {
            return (asked, (error as? LibraryError)?.code)
        }
    }

    @Test("a library that changes hands is requested again until it is there or time is up")
    func again() async {
        #expect(await outlast([.busy, .closed, .busy], attempts: 5) == (4, nil))
        #expect(await outlast([.busy, .closed, .busy], attempts: 3) == (3, .busy))
    }

    @Test("another refusal is returned at once")
    func other() async {
        #expect(await outlast([.closed, .damaged], attempts: 5) == (2, .damaged))
    }
}
