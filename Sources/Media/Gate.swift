// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// A gate that lets calls pass until it is closed for good. Any thread may use it.
public final class Gate: Sendable {
    private let isOpen = Mutex(true)

    /// Creates an open gate.
    public init() {}

    /// Runs `body`, which must not block, unless the gate is closed.
    ///
    /// - Returns: the result of `body`; `false` if it was not run.
    public func pass(_ body: () -> Bool) -> Bool {
        isOpen.withLock { $0 && body() }
    }

    /// Closes the gate. No `body` is running any more when this returns.
    ///
    /// - Returns: whether the gate was open.
    @discardableResult
    public func close() -> Bool {
        isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
    }
}
