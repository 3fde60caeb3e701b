// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library
internal import LinuxIO
internal import Logging

/// A medium may never answer, such as a card that is dying or a server that is gone: whoever waits for it
/// in the kernel cannot be called back. The library is left behind then, with its thread, and opened anew:
/// another medium may be in its place. The folder of one that answers after all is free from then on.
extension LibraryKeeper {
    struct Question {
        /// `CLOCK_MONOTONIC`.
        let since: Int64
        /// So many times the patience of another question is in order.
        let slowness: Int
        /// See ``LibraryKeeper/ask(keepsThread:slowness:_:late:)``.
        let keepsThread: Bool
        let giveUp: (LibraryError) -> Void
    }

    /// A card that stutters is silent for some seconds; after so many times the patience that is a problem.
    private static let longSilence = 3
    /// After so many times the patience nobody waits for a photo any more.
    private static let longestSilence = 9
    private static let mostThreadsLost = 8

    /// Waits for the library's answer until that is given up.
    ///
    /// - Parameters:
    ///   - keepsThread: Whether it is asked on a thread of its own, or is the last one on a library's. What else
    ///     a library is asked waits on the library's one thread.
    ///   - slowness: So many times as much patience is in order.
    ///   - late: is given an answer that comes after that.
    /// - Throws: what the question does; `stalled` when it was given up.
    func ask<Answer: Sendable>(
        keepsThread: Bool = false, slowness: Int = 1,
        _ question:
            nonisolated(nonsending) @escaping @Sendable () async throws(LibraryError) ->
            Answer,
        late: @escaping @Sendable (Answer) async -> Void = { _ in }
    ) async throws(LibraryError) -> Answer {
        questionsAsked += 1
        let number = questionsAsked
        let answer = await withCheckedContinuation {
            (waiter: CheckedContinuation<Result<Answer, LibraryError>, Never>) in
            questions[number] = Question(
                since: now(), slowness: slowness, keepsThread: keepsThread
            ) {
                waiter.resume(returning: .failure($0))
            }
            Task {
                let answer = await Self.result(of: question)
                if questions.removeValue(forKey: number) != nil {
                    lastAnswer = now()
                    return waiter.resume(returning: answer)
                }
                if keepsThread { threadsLost -= 1 }
                if case .success(let answer) = answer { await late(answer) }
            }
        }
        return try answer.get()
    }

    private nonisolated(nonsending) static func result<Answer>(
        of question: nonisolated(nonsending) () async throws(LibraryError) -> Answer
    ) async -> Result<Answer, LibraryError> {
        do throws(LibraryError) {
            return .success(try await question())
        } catch {
            return .failure(error)
        }
    }

    /// Whether a medium may be asked that has not answered so far: each time may cost a thread.
    var mayLoseThread: Bool { threadsLost < Self.mostThreadsLost }

    /// Says that the medium does not answer, and gives up in the end. A library that answers some of what it was
    /// asked is slow: the others wait for their turn.
    func noticeSilence() {
        let now = now()
        let silences = questions.mapValues { question in
            let since = question.keepsThread ? question.since : max(question.since, lastAnswer)
            return Duration.nanoseconds(now - since) / question.slowness
        }
        guard let (number, silence) = silences.max(by: { $0.value < $1.value }) else { return }
        // Of a library that was ended, where another is open.
        let isAnothers = questions[number]?.keepsThread == true && library != nil
        if silence > patience * Self.longestSilence {
            if isAnothers { giveUp(upTo: number) } else { leaveBehind() }
        } else if silence > patience * Self.longSilence, !isAnothers,
            refusal?.code != Problem(.stalled(path)).code
        {
            Task { await refuse(.stalled(path)) }
        }
    }

    /// Waits for nothing more that the library was asked, and uses it no more.
    func leaveBehind() {
        log.error("left behind: its disk does not answer", metadata: ["library": "\(path)"])
        if let library {
            self.library = nil
            threadsLost += 1
            Task {
                await library.close()
                threadsLost -= 1
            }
        }
        giveUp(upTo: questionsAsked)
    }

    private func giveUp(upTo last: Int) {
        for (number, question) in questions where number <= last {
            questions[number] = nil
            if question.keepsThread { threadsLost += 1 }
            question.giveUp(.stalled(path))
        }
    }
}
