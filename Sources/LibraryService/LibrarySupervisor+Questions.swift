// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library
internal import LinuxIO
internal import Logging

/// A medium may never answer, for example a dying card or a server that is gone. A thread that
/// waits for it in the kernel cannot be interrupted. The library is then abandoned together with
/// its thread, and opened again, because another medium may be in its place. If the old medium
/// answers later, its folder becomes free.
extension LibrarySupervisor {
    struct Question {
        /// When it was asked, in nanoseconds of `CLOCK_MONOTONIC`.
        let since: Int64
        /// How many times the usual patience applies.
        let slowness: Int
        /// See ``LibrarySupervisor/ask(keepsThread:slowness:_:late:)``.
        let keepsThread: Bool
        let giveUp: (LibraryError) -> Void
    }

    /// The multiple of the patience after which silence is a problem. A bad card is silent for
    /// seconds.
    private static let longSilence = 3
    /// The multiple of the patience after which questions are abandoned.
    private static let longestSilence = 9
    private static let mostThreadsLost = 8

    /// Asks the library, and waits for the answer until the question is abandoned.
    /// - Parameters:
    ///   - keepsThread: whether the question has a thread of its own, or is the last one on a
    ///     library's thread. All other questions wait on the library's one thread.
    ///   - slowness: how many times the usual patience applies.
    ///   - late: called with an answer that comes after the question was abandoned.
    /// - Throws: what the question throws; `stalled` if it was abandoned.
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

    /// Whether a silent medium may be asked again: each attempt may cost a thread.
    var mayLoseThread: Bool { threadsLost < Self.mostThreadsLost }

    /// Reports a silent medium, and abandons it in the end. A library that answers some questions
    /// is slow, and the others wait for their turn.
    func noticeSilence() {
        let now = now()
        let silences = questions.mapValues { question in
            let since = question.keepsThread ? question.since : max(question.since, lastAnswer)
            return Duration.nanoseconds(now - since) / question.slowness
        }
        guard let (number, silence) = silences.max(by: { $0.value < $1.value }) else { return }
        // The question belongs to a library that was closed, while another is open.
        let isAnothers = questions[number]?.keepsThread == true && library != nil
        if silence > patience * Self.longestSilence {
            if isAnothers { giveUp(upTo: number) } else { leaveBehind() }
        } else if silence > patience * Self.longSilence, !isAnothers,
            refusal?.code != Problem(.stalled(path)).code
        {
            Task { await refuse(.stalled(path)) }
        }
    }

    /// Abandons the library and all its questions.
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
