// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// The problems that are known now. The parts that find problems share it. Any thread.
package final class ProblemBoard: Sendable {
    private let list = Mutex(ProblemList())

    package init() {}

    package var current: ProblemList { list.withLock(\.self) }

    package func contains(_ code: String) -> Bool {
        list.withLock { $0.all.contains { $0.code == code } }
    }

    /// Notes a problem, in place of an earlier one with its code; returns whether it is new.
    @discardableResult
    package func raise(
        _ code: String, _ message: String, _ severity: ProblemList.Severity
    ) -> Bool {
        list.withLock { $0.raise(code, message, severity) }
    }

    /// Removes all problems whose code begins with `prefix`; returns their codes.
    @discardableResult
    package func clear(prefix: String) -> [String] {
        list.withLock { $0.clear(prefix: prefix) }
    }

    /// Replaces all problems whose code begins with `prefix`; returns the new codes and the removed
    /// ones.
    @discardableResult
    package func replace(
        prefix: String, with others: [ProblemList.Problem]
    ) -> (new: [String], gone: [String]) {
        list.withLock { $0.replace(prefix: prefix, with: others) }
    }
}
