// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
internal import Library
internal import LinuxIO

extension LibrarySupervisor {
    /// Returns numbers for the status: current ones if the library answers at once, else the last
    /// ones.
    package func status() async -> StatusReport.LibraryState {
        let counting = counting ?? Task { await count() }
        self.counting = counting
        await firstAnswer(within: courtesy) { await counting.value }
        var status = numbers
        if library == nil || refusal != nil { status.degraded = true }
        return status
    }

    /// Asks for the numbers. A library that cannot be read takes no photos either.
    private func count() async {
        defer { counting = nil }
        guard let library else { return }
        do throws(LibraryError) {
            (numbers, backlog) = try await ask { [remote] () async throws(LibraryError) in
                let backlog = try await library.syncBacklog(of: remote)
                return (try await Self.numbers(of: library), backlog)
            }
        } catch {
            if !isClosed, error.code != .cancelled { await refuse(error) }
        }
    }

    private static func numbers(
        of library: isolated AssetLibrary
    ) async throws(LibraryError) -> StatusReport.LibraryState {
        let statistics = try await library.statistics()
        var numbers = StatusReport.LibraryState()
        numbers.assets = statistics.assets
        numbers.photos = statistics.photos
        numbers.videos = statistics.videos
        numbers.bytes = statistics.bytes
        numbers.freeBytes = statistics.freeBytes
        numbers.degraded = library.state != .ready
        numbers.adoption = library.recovery.adoption.map {
            StatusReport.Adoption(done: $0.done, total: $0.total)
        }
        return numbers
    }
}
