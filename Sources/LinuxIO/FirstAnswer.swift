// SPDX-License-Identifier: GPL-3.0-or-later

/// Asks for an answer that may never come, and waits for it no longer than `limit`.
///
/// - Parameters:
///   - limit: The longest time to wait. Nothing is cancelled after it; a later answer is ignored.
///   - ask: Receives the function to call with the answer, on any thread.
/// - Returns: the first answer; `nil` if none came in time, or the caller's task was cancelled.
public func firstAnswer<Answer: Sendable>(
    within limit: Duration, _ ask: (@escaping @Sendable (Answer) -> Void) -> Void
) async -> Answer? {
    let (answers, continuation) = AsyncStream.makeStream(of: Answer.self)
    ask { answer in
        continuation.yield(answer)
        continuation.finish()
    }
    let patience = Task {
        try await Task.sleep(for: limit)
        continuation.finish()
    }
    defer { patience.cancel() }
    for await answer in answers { return answer }
    return nil
}
