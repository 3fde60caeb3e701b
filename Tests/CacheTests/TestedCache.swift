// SPDX-License-Identifier: GPL-3.0-or-later

import Cache
import LinuxIO
import Network
import Synchronization
import TestSupport

/// A cache in a folder of its own, with a clock that the test sets.
final class TestedCache: Sendable {
    let folder: TemporaryFolder
    let clock: TestClock
    let cache: ContentCache

    init(
        in folder: TemporaryFolder? = nil, clock: TestClock = TestClock(), quota: Int = 1 << 30,
        transfers: Int = 4, stallSeconds: Int = 30
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.clock = clock
        var configuration = HTTPClient.Configuration()
        configuration.transfers = transfers
        configuration.stallSeconds = stallSeconds
        configuration.proxy = ""
        cache = try ContentCache(
            at: self.folder.path, quota: quota, client: HTTPClient(configuration),
            now: { clock.now })
    }

    /// The names in a folder of the cache.
    func names(_ name: String) throws -> [String] { try FileTree.names(in: folder.path(of: name)) }

    func bytes(_ result: ContentResult) throws -> [UInt8] {
        try DurableFileReader(result.path).read(upTo: 1 << 30)
    }
}

final class TestClock: Sendable {
    /// 2026-11-29.
    private static let start: Int64 = 1_795_910_400_000_000_000
    private let moment = Mutex(
        ContentMoment(wall: start, isTrusted: true, boot: 1_000_000_000, bootIdentifier: "first"))

    var now: ContentMoment { moment.withLock { $0 } }

    /// Lets time pass.
    func pass(_ seconds: Double) {
        moment.withLock { moment in
            moment.wall += Int64(seconds * 1e9)
            moment.boot += Int64(seconds * 1e9)
        }
    }

    /// Sets the wall clock, as a person or NTP does.
    func jump(to wall: Int64, isTrusted: Bool = true) {
        moment.withLock { ($0.wall, $0.isTrusted) = (wall, isTrusted) }
    }

    /// Restarts the machine after a time without power.
    func reboot(after seconds: Double = 10) {
        moment.withLock { moment in
            moment.wall += Int64(seconds * 1e9)
            moment.boot = 1_000_000_000
            moment.bootIdentifier += "+"
        }
    }
}
