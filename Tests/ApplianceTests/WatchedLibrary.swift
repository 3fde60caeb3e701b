// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import Foundation
import LinuxIO
import Synchronization
import TestSupport
import Testing

/// Lets it look again and again, until cancelled.
func watch(_ keeper: LibraryKeeper) -> Task<Void, Never> {
    Task {
        while !Task.isCancelled {
            await keeper.look()
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}

/// Says how much space there is, in place of statvfs(2).
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

    /// One answer after the other; the last one stays.
    func set(_ answers: Int64...) { state.withLock { $0.answers = answers } }
    func fail(_ code: CInt) { state.withLock { $0.failure = code } }
    /// Whoever asks next has no answer before ``goOn()``.
    func hang() { state.withLock { $0.isToHang = true } }
    func goOn() { signal.signal() }
    /// Whether somebody has no answer.
    var isHanging: Bool { state.withLock(\.isHanging) }
    /// How often it was asked for.
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

    /// Waits until it has been asked so often again.
    func asked(times: Int) async throws {
        let goal = asked + times
        try await waitUntil { asked >= goal }
    }
}

/// The time by which a keeper measures silences; it stands still until a test moves it.
final class SilenceClock: Sendable {
    private let time = Mutex<Duration>(.seconds(1000))

    var now: Int64 { time.withLock { Int64($0 / .nanoseconds(1)) } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

/// What a keeper reported: codes, and whether they leave no photos.
final class Heard: Sendable {
    private let reports = Mutex<[[String]]>([])

    var all: [[String]] { reports.withLock(\.self) }

    /// What was reported last has this code.
    func has(_ code: String) -> Bool { all.last?.contains { $0.hasPrefix(code) } == true }

    func hear(_ problems: [LibraryKeeper.Problem]) {
        let report = problems.map { $0.code + ($0.prevents == .all ? ": no photos" : "") }
        reports.withLock { reports in
            // The message alone changes with every byte.
            if reports.last != report { reports.append(report) }
        }
    }

    func waits(for count: Int) async throws {
        try await waitUntil { all.count >= count }
    }
}
