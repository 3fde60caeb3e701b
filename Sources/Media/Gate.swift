// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Lets what comes pass until it is closed, once and for all. Any thread.
public final class Gate: Sendable {
    private let isOpen = Mutex(true)

    /// It is open.
    public init() {}

    /// Runs `body`, which does not block, unless the gate is closed.
    ///
    /// - Returns: what `body` does; `false` where it was not run.
    public func pass(_ body: () -> Bool) -> Bool {
        isOpen.withLock { $0 && body() }
    }

    /// Closes it; nobody is within any more when this returns.
    ///
    /// - Returns: whether it was open.
    @discardableResult
    public func close() -> Bool {
        isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
    }
}
