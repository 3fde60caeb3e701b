// SPDX-License-Identifier: GPL-3.0-or-later

/// Asks somebody who may never answer, and waits no longer than the answer is worth.
///
/// - Parameters:
///   - limit: how long to wait. Nothing is cancelled then; an answer that comes later is not heard.
///   - ask: is given what to call with the answer, from any thread.
/// - Returns: the first answer; `nil` when none came in time, or the caller's task was cancelled.
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
