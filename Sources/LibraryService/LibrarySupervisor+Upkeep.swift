// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library
internal import LinuxIO
internal import Logging

/// The library's regular chores. Photos are stored meanwhile.
extension LibrarySupervisor {
    struct Chore {
        private var library: ObjectIdentifier?
        /// When it is due, in nanoseconds of `CLOCK_MONOTONIC`.
        private var next: Int64

        init(after delay: Duration = .zero) {
            next = Clock.monotonic + Int64(delay / .nanoseconds(1))
        }

        var isUnderWay: Bool { library != nil }

        /// Begins the chore if it is due; returns whether it began.
        mutating func begin(for library: AssetLibrary) -> Bool {
            let id = ObjectIdentifier(library)
            guard self.library != id, Clock.monotonic >= next else { return false }
            self.library = id
            return true
        }

        /// Ends the chore, unless its library was abandoned meanwhile.
        mutating func end(for library: AssetLibrary, next interval: Int64) {
            guard self.library == ObjectIdentifier(library) else { return }
            self.library = nil
            next = Clock.monotonic + interval
        }
    }

    private static let minute: Int64 = 60 * 1_000_000_000
    private static let retentionInterval = 60 * minute
    private static let snapshotInterval = 24 * retentionInterval

    package var isLettingGo: Bool { lettingGo.isUnderWay }

    /// Removes once an hour what retention no longer keeps here.
    func letGo() {
        // Favourites that are newer than the snapshot are lost, so nothing is purged until a person
        // has looked and restarted.
        guard restored == nil, !isClosed, let library, lettingGo.begin(for: library) else { return }
        Task {
            guard await library.recovery.adoption == nil else {
                return lettingGo.end(for: library, next: 0)
            }
            do throws(LibraryError) {
                let gone = try await library.applyRetention(retention, foreign: foreign)
                lettingGo.end(for: library, next: Self.retentionInterval)
                if gone.count > 0 {
                    log.notice(
                        "gone by the rules of retention",
                        metadata: [
                            "count": "\(gone.count)", "remoteOnly": "\(gone.evicted)",
                            "bytes": "\(gone.bytes)",
                            "ids": "\(gone.items.prefix(Self.listed).map(\.id))",
                        ])
                }
            } catch {
                // The next attempt comes once the library works again.
                lettingGo.end(for: library, next: Self.minute)
            }
        }
    }

    /// Takes a snapshot some minutes after the start and then daily: many kiosks are switched off
    /// every evening.
    func takeSnapshot() {
        guard !isClosed, let library, takingSnapshot.begin(for: library) else { return }
        Task {
            do throws(LibraryError) {
                if let taken = try await library.takeSnapshot() {
                    log.info("snapshot", metadata: ["path": "\(taken.path)"])
                }
            } catch {
                log.error("no snapshot", metadata: ["reason": "\(error)"])
                if error.code == .damaged { salvaging.isDue = true }
            }
            takingSnapshot.end(for: library, next: Self.snapshotInterval)
        }
    }
}
