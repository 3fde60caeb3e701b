// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// The part of a fetch's result that is read in the background. Releasing it cancels the read.
final class ReadBehind<Value: Sendable>: Sendable {
    private let task: Task<Value, any Error>?
    /// The value, once a caller has received it.
    private let known = Mutex<Value?>(nil)

    init(_ read: sending @escaping @isolated(any) () async throws -> Value) {
        task = Task { try await read() }
    }

    init(_ value: Value) {
        task = nil
        known.withLock { $0 = value }
    }

    deinit { task?.cancel() }

    /// The value. The getter waits for it. A cancelled caller stops waiting; the read continues.
    /// - Throws: `cancelled`; the errors of the read.
    var value: Value {
        get async throws(LibraryError) {
            if let known = known.withLock(\.self) { return known }
            guard let task else { throw LibraryError(.cancelled, "fetch: nothing is read") }
            let (answers, answer) = AsyncStream.makeStream(of: Result<Value, any Error>.self)
            Task {
                answer.yield(await task.result)
                answer.finish()
            }
            var iterator = answers.makeAsyncIterator()
            guard !Task.isCancelled, let result = await iterator.next() else {
                throw LibraryError(.cancelled, "fetch: cancelled")
            }
            do {
                let value = try result.get()
                known.withLock { $0 = value }
                return value
            } catch let error as LibraryError {
                throw error
            } catch {
                throw LibraryError(.cancelled, "fetch: \(error)", underlying: error)
            }
        }
    }
}
