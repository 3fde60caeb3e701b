// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LibraryService
import LinuxIO
import Synchronization
import Testing
import TestSupport

/// Starts a task that lets the supervisor look again and again, until it is cancelled.
func watch(_ keeper: LibrarySupervisor) -> Task<Void, Never> {
    Task {
        while !Task.isCancelled {
            await keeper.look()
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// A replacement for statvfs(2) whose free space a test sets.
final class Space: Sendable {
    private struct State {
        var answers: [Int64] = [1 << 40]
        var failure: CInt?
        var asked = 0
        var isToHang = false
        var isHanging = false
    }
    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    /// Sets the answers, given one after the other. The last one is repeated.
    func set(_ answers: Int64...) { state.withLock { $0.answers = answers } }
    func fail(_ code: CInt) { state.withLock { $0.failure = code } }
    /// Makes the next request wait for ``goOn()``.
    func hang() { state.withLock { $0.isToHang = true } }
    func goOn() { signal.signal() }
    /// Whether a request is waiting.
    var isHanging: Bool { state.withLock(\.isHanging) }
    /// The number of answers given.
    var asked: Int { state.withLock(\.asked) }

    func answer() throws(SystemCallError) -> Int64 {
        let isToHang = state.withLock { state in
            defer { state.isToHang = false }
            if state.isToHang { state.isHanging = true }
            return state.isToHang
        }
        if isToHang { signal.wait() }
        let (answer, failure) = state.withLock { state in
            let failure = state.failure.take()
            state.asked += 1
            if isToHang { state.isHanging = false }
            if state.answers.count > 1 { return (state.answers.removeFirst(), failure) }
            return (state.answers[0], failure)
        }
        if let failure { throw SystemCallError(call: "statvfs", code: failure) }
        return answer
    }

    /// Waits for this many more answers.
    func asked(times: Int) async throws {
        let goal = asked + times
        try await waitUntil { asked >= goal }
    }
}

/// The clock by which a supervisor measures silences. It stands still until a test advances it.
final class SilenceClock: Sendable {
    private let time = Mutex<Duration>(.seconds(1000))

    var now: Int64 { time.withLock { Int64($0 / .nanoseconds(1)) } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

/// The reports of a supervisor: codes, and whether they prevent photos.
final class Heard: Sendable {
    private let reports = Mutex<[[String]]>([])

    var all: [[String]] { reports.withLock(\.self) }

    /// Returns whether the last report has this code.
    func has(_ code: String) -> Bool { all.last?.contains { $0.hasPrefix(code) } == true }

    func hear(_ problems: [LibrarySupervisor.Problem]) {
        let report = problems.map { $0.code + ($0.prevents == .all ? ": no photos" : "") }
        reports.withLock { reports in
            // A report that differs only in its message is left out, because the message changes
            // with every byte.
            if reports.last != report { reports.append(report) }
        }
    }

    func waits(for count: Int) async throws {
        try await waitUntil { all.count >= count }
    }
}
