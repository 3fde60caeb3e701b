// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// A gate that lets calls pass until it is closed for good. Any thread may use it.
public final class Gate: Sendable {
    private let isOpen = Mutex(true)

    /// Creates an open gate.
    public init() {}

    /// Runs `body`, which must not block, and returns its result; `false` if the gate is closed.
    public func pass(_ body: () -> Bool) -> Bool {
        isOpen.withLock { $0 && body() }
    }

    /// Closes the gate and returns whether it was open. No `body` is running any more then.
    @discardableResult
    public func close() -> Bool {
        isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
    }
}
