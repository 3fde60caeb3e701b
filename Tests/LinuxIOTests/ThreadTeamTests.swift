// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxIO
import Synchronization
import TestSupport
import Testing

@Suite("ThreadTeam", .timeLimit(.common))
struct ThreadTeamTests {
    @Test("each part runs once, all in parallel, and the call returns when all are done")
    func together() {
        let team = ThreadTeam("team", count: 3)
        for count in [4, 1, 2, 4] {
            let parts = Mutex<[Int: String]>([:])
            team.perform(count) { part in
                parts.withLock { $0[part] = threadName() }
                // Waits until all parts have begun.
                #expect(throws: Never.self) {
                    try blockUntil { parts.withLock(\.count) >= count }
                }
            }
            let found = parts.withLock { $0 }
            #expect(found.keys.sorted() == Array(0..<count))
            // The first part runs on the caller's thread.
            #expect(found[0] == threadName())
            for part in 1..<count { #expect(found[part] == "team-\(part + 1)") }
        }
    }

    @Test("a team's threads end with it")
    func end() async throws {
        var team: ThreadTeam? = ThreadTeam("ending", count: 2)
        team?.perform(3) { _ in }
        #expect(try threads("ending") == 2)
        team = nil
        try await waitUntil { try threads("ending") == 0 }
    }

    private func threadName() -> String {
        (try? readSmallFile("/proc/thread-self/comm"))?.split(separator: "\n").first.map(
            String.init)
            ?? ""
    }

    private func threads(_ name: String) throws -> Int {
        try FileTree.names(in: "/proc/self/task").count { thread in
            (try? readSmallFile("/proc/self/task/\(thread)/comm"))?.hasPrefix(name) ?? false
        }
    }
}
