// SPDX-License-Identifier: GPL-3.0-or-later

package import Library
internal import LinuxIO
internal import Logging

extension LibrarySupervisor {
    /// Replaces a damaged database, as ``AssetLibrary/salvage(at:)`` does.
    package typealias Salvage =
        @Sendable (_ path: String) async throws(LibraryError) -> SalvageReport?

    struct Salvaging {
        private static let shortestDelay: Int64 = 60 * 1_000_000_000
        private static let longestDelay: Int64 = 24 * 3600 * 1_000_000_000

        /// Whether the database was found damaged.
        var isDue = false
        /// The time of the next search, in nanoseconds of `CLOCK_MONOTONIC`.
        private var next: Int64 = 0
        /// The delay doubles after each failure, because a search copies the database.
        private var delay = shortestDelay

        mutating func begin() -> Bool {
            guard isDue, Clock.monotonic >= next else { return false }
            next = Clock.monotonic + delay
            delay = min(2 * delay, Self.longestDelay)
            return true
        }

        mutating func succeeded() { delay = Self.shortestDelay }
    }

    /// The patience for a search: copying and checking a large database takes minutes.
    private static let slowness = 10

    /// Replaces a database that was found damaged with the best replacement.
    func salvageIfDamaged() async {
        guard !isOpening, !isClosed, salvaging.begin() else { return }
        do throws(LibraryError) {
            if try await replaceDamaged() != nil { salvaging.succeeded() }
        } catch {
            log.error("database not replaced", metadata: ["reason": "\(error)"])
        }
    }

    /// Closes the library, and replaces its database if it is damaged; returns `nil` if it is not.
    package func salvage() async throws(LibraryError) -> SalvageReport? {
        guard !isOpening, !isClosed else {
            throw LibraryError(.busy, "library \(path): being opened or closed just now")
        }
        do throws(LibraryError) {
            let report = try await replaceDamaged()
            await check()
            return report
        } catch {
            await check()
            throw error
        }
    }

    private func replaceDamaged() async throws(LibraryError) -> SalvageReport? {
        salvaging.isDue = false
        // Nothing else may open it meanwhile.
        isOpening = true
        defer { isOpening = false }
        if let library { await end(library) }
        do throws(LibraryError) {
            let report = try await ask(keepsThread: true, slowness: Self.slowness) {
                [salvageLibrary, path] () async throws(LibraryError) in
                try await salvageLibrary(path)
            } late: { report in
                await self.noteLate(report)
            }
            if let report { note(report) }
            return report
        } catch {
            salvaging.isDue = true
            throw error
        }
    }

    /// Notes the result of a search whose question was abandoned.
    func noteLate(_ salvage: SalvageReport?) async {
        guard let salvage else { return }
        note(salvage)
        await publish()
    }

    func note(_ salvage: SalvageReport) {
        log.error(
            "the database was damaged",
            metadata: ["damage": "\(salvage.damage)", "replaced": "\(salvage.source)"])
        restored = Problem(
            code: "library.restored",
            message: "library \(path): its database was damaged: \(salvage.summary)",
            next: "see: vitrine library verify", prevents: .nothing)
    }
}
