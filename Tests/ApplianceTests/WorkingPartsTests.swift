// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import Diagnostics
import Dispatch
import Synchronization
import Testing
import TestSupport

@Suite("Working parts", .timeLimit(.common))
struct WorkingPartsTests {
    @Test("the working parts are reported while the library's disk does not answer")
    func hangingDisk() async throws {
        let folder = try TemporaryFolder()
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let answer = DispatchSemaphore(value: 0)
        let hangs = Atomic<Bool>(false)
        let appliance = try Appliance.simulated(in: folder) { _ in
            if hangs.load(ordering: .relaxed) {
                asking.yield()
                answer.wait()
            }
            return 1 << 40
        }
        try await appliance.start()
        hangs.store(true, ordering: .relaxed)
        // The appliance looks at its library all the time.
        for await _ in asked { break }
        let parts = await appliance.workingParts()
        #expect(parts.library)

        hangs.store(false, ordering: .relaxed)
        answer.signal()
        await appliance.stop()
    }

    @Test("parts are good if photos are taken, kept and shown; buttons may be missing")
    func good() {
        var parts = WorkingParts.good
        #expect(parts.isGood)
        parts.buttons = ["shutter"]
        #expect(parts.isGood)
        for part in [\WorkingParts.camera, \.display, \.library] {
            var less = parts
            less[keyPath: part] = false
            #expect(!less.isGood)
            #expect(less.union(.good) == parts)
        }
    }

    @Test("a second display that was shown is missing unless it is no longer configured")
    func second() {
        var (shown, dark) = (WorkingParts.good, WorkingParts.good)
        (shown.secondDisplay, dark.secondDisplay) = (true, false)
        #expect(dark.missing(from: shown, buttons: []) == ["the second display"])
        #expect(WorkingParts.good.missing(from: shown, buttons: []).isEmpty)
        #expect(dark.missing(from: .good, buttons: []).isEmpty)
        #expect(dark.missing(from: dark, buttons: []).isEmpty && dark.isGood)
        #expect(shown.union(dark) == shown && dark.union(shown) == shown)
        #expect(dark.union(.good) == dark && WorkingParts.good.union(shown) == shown)
    }
}
