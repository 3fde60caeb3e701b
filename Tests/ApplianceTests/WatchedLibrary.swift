// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import Foundation
import LinuxIO
import Synchronization

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
        var waiter: (asked: Int, CheckedContinuation<Void, Never>)?
    }
    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    /// One answer after the other; the last one stays.
    func set(_ answers: Int64...) { state.withLock { $0.answers = answers } }
    func fail(_ code: CInt) { state.withLock { $0.failure = code } }
    /// Whoever asks next has no answer before ``goOn()``.
    func hang() { state.withLock { $0.isToHang = true } }
    func goOn() { signal.signal() }
    /// How often it was asked for.
    var asked: Int { state.withLock(\.asked) }

    func answer() throws(SystemCallError) -> Int64 {
        let isToHang = state.withLock { state in
            defer { state.isToHang = false }
            return state.isToHang
        }
        if isToHang { signal.wait() }
        let (answer, failure, waiter) = state.withLock { state in
            let failure = state.failure.take()
            state.asked += 1
            let waiter = state.waiter.take { $0.asked <= state.asked }?.1
            if state.answers.count > 1 { return (state.answers.removeFirst(), failure, waiter) }
            return (state.answers[0], failure, waiter)
        }
        waiter?.resume()
        if let failure { throw SystemCallError(call: "statvfs", code: failure) }
        return answer
    }

    func asked(times: Int) async {
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            state.withLock { $0.waiter = ($0.asked + times, waiter) }
        }
    }
}

/// What a keeper reported: codes, and whether they leave no photos.
final class Heard: Sendable {
    private struct State {
        var reports: [[String]] = []
        var waiter: (count: Int, CheckedContinuation<Void, Never>)?
    }
    private let state = Mutex(State())

    var all: [[String]] { state.withLock { $0.reports } }

    /// What was reported last has this code.
    func has(_ code: String) -> Bool { all.last?.contains { $0.hasPrefix(code) } == true }

    func hear(_ problems: [LibraryKeeper.Problem]) {
        let report = problems.map { $0.code + ($0.prevents == .all ? ": no photos" : "") }
        state.withLock { state in
            // The message alone changes with every byte.
            if state.reports.last == report { return CheckedContinuation<Void, Never>?.none }
            state.reports.append(report)
            return state.waiter.take { $0.count <= state.reports.count }?.1
        }?.resume()
    }

    func waits(for count: Int) async {
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            let isThere = state.withLock { state in
                if state.reports.count >= count { return true }
                state.waiter = (count, waiter)
                return false
            }
            if isThere { waiter.resume() }
        }
    }
}

extension Optional {
    /// Takes the value out if it is there and fits.
    fileprivate mutating func take(if fits: (Wrapped) -> Bool) -> Wrapped? {
        guard let value = self, fits(value) else { return nil }
        self = nil
        return value
    }
}
