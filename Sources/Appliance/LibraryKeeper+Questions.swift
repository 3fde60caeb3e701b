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
        let giveUp: (LibraryError) -> Void
    }

    /// After so many times the patience nobody waits for a photo any more.
    private static let longestSilence = 6
    private static let mostUnheard = 8

    /// Waits for the library's answer until that is given up.
    ///
    /// - Parameter late: is given an answer that comes after that.
    /// - Throws: what the question does; `stalled` when it was given up.
    func ask<Answer: Sendable>(
        _ question: @escaping @Sendable () async throws(LibraryError) -> Answer,
        late: @escaping @Sendable (Answer) async -> Void = { _ in }
    ) async throws(LibraryError) -> Answer {
        questionsAsked += 1
        let number = questionsAsked
        let answer = await withCheckedContinuation {
            (waiter: CheckedContinuation<Result<Answer, LibraryError>, Never>) in
            questions[number] = Question(since: Clock.monotonic) {
                waiter.resume(returning: .failure($0))
            }
            Task {
                let answer = await Self.result(of: question)
                if questions.removeValue(forKey: number) != nil {
                    return waiter.resume(returning: answer)
                }
                unheard -= 1
                if case .success(let answer) = answer { await late(answer) }
            }
        }
        return try answer.get()
    }

    private static func result<Answer>(
        of question: () async throws(LibraryError) -> Answer
    ) async -> Result<Answer, LibraryError> {
        do throws(LibraryError) {
            return .success(try await question())
        } catch {
            return .failure(error)
        }
    }

    /// Whether a medium may be asked that has not answered so far: each time may cost a thread.
    var mayAskAnew: Bool { unheard < Self.mostUnheard }

    /// Says that the medium does not answer, and gives up in the end.
    func noticeSilence() {
        guard let first = questions.values.map(\.since).min() else { return }
        let silence = Duration.nanoseconds(Clock.monotonic - first)
        if silence > patience * Self.longestSilence {
            leaveBehind()
        } else if silence > patience, refusal?.code != Problem(.stalled(path)).code {
            Task { await refuse(.stalled(path)) }
        }
    }

    /// Waits for nothing more that the library was asked, and uses it no more.
    func leaveBehind() {
        log.error("left behind: its disk does not answer", metadata: ["library": "\(path)"])
        if let library {
            self.library = nil
            Task { await library.close() }
        }
        unheard += questions.count
        for question in questions.values { question.giveUp(.stalled(path)) }
        questions = [:]
    }
}
