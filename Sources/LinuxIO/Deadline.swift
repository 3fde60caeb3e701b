// SPDX-License-Identifier: GPL-3.0-or-later

/// Runs `body`, and cancels it after `patience`. Returns `nil` then, as soon as `body` has ended:
/// it must heed its cancellation.
public func within<Value: Sendable>(
    _ patience: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            _ = await PendingAnswer<Void>().value(within: patience)
            try Task.checkCancellation()
            return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
    }
}
