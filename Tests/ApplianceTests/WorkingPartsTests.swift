// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import Dispatch
import Library
import Synchronization
import TestSupport
import Testing

@Suite("What works", .timeLimit(.minutes(1)))
struct WorkingPartsTests {
    @Test("it is told while the library's disk does not answer")
    func hangingDisk() async throws {
        let folder = try TemporaryFolder()
        let appliance = try Appliance.simulated(in: folder)
        try await appliance.start()

        // All libraries of a process share the thread that waits for their disks.
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let answer = DispatchSemaphore(value: 0)
        let hangs = Atomic<Bool>(false)
        let library = try await AssetLibrary.open(
            at: folder.path(of: "hanging"), reserveMegabytes: 1
        ) { _ in
            if hangs.load(ordering: .relaxed) {
                asking.yield()
                answer.wait()
            }
            return 1 << 40
        }
        hangs.store(true, ordering: .relaxed)
        let admission = Task { try await library.admission() }
        for await _ in asked { break }
        let parts = await appliance.workingParts()
        #expect(parts.library)

        hangs.store(false, ordering: .relaxed)
        answer.signal()
        try await admission.value
        await library.close()
        await appliance.stop()
    }

    @Test("good is what takes photos, keeps and shows them; buttons and preview may be missing")
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
}
