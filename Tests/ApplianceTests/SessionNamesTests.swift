// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import Photography
import Testing

@Suite("Session names")
struct SessionNamesTests {
    @Test("a session keeps its name while its photos are saved and other sessions begin")
    func kept() {
        let names = SessionNames()
        let (first, second) = (SessionNumber(number: 1), SessionNumber(number: 2))
        #expect(names.known(first) == nil)
        let name = names.name(of: first)
        let other = names.name(of: second)
        #expect(name != other)
        #expect(names.name(of: first) == name && names.known(first) == name)
        #expect(names.name(of: second) == other && names.known(second) == other)
        // Old names are forgotten.
        for number in 3...40 { _ = names.name(of: SessionNumber(number: Int64(number))) }
        #expect(names.known(first) == nil)
    }
}
