// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Synchronization
internal import V4L2

/// The thread that compresses, and its predecessors that are still blocked in their encoders.
final class EncoderThreads: Sendable {
    private let mailbox: MovieMailbox
    private let settings: MovieSettings
    private let inbox: MovieWriter.Inbox
    private let threads: Mutex<Threads>

    private struct Threads {
        /// `nil` once too many threads are blocked.
        var current: AbandonableThread?
        var blocked = BlockedThreads()
    }

    private static let threadName = "movie-encoder"

    init(_ mailbox: MovieMailbox, _ settings: MovieSettings, _ inbox: MovieWriter.Inbox) {
        self.mailbox = mailbox
        self.settings = settings
        self.inbox = inbox
        threads = Mutex(Threads(current: Self.makeThread(mailbox, settings, inbox)))
    }

    /// Replaces the thread if its encoder has stalled. If three threads are blocked already,
    /// nothing is recorded until one of them ends.
    func replaceHanging() {
        threads.withLock { threads in
            if let hung = threads.current {
                guard giveUp(&threads) else { return }
                threads.blocked.append(hung)
                threads.current = nil
            }
            guard threads.blocked.count() <= BlockedThreads.maximum else {
                let orders = mailbox.loseEncoder(Self.lost)
                return orders.forEach { inbox.post(.refuse($0.id, Self.lost)) }
            }
            mailbox.findEncoder()
            threads.current = Self.makeThread(mailbox, settings, inbox)
        }
    }

    /// Starts a thread with the stream that runs now.
    private static func makeThread(
        _ mailbox: MovieMailbox, _ settings: MovieSettings, _ inbox: MovieWriter.Inbox
    ) -> AbandonableThread {
        AbandonableThread(threadName) { callGuard in
            var loop = MovieLoop(mailbox, settings, inbox, callGuard)
            loop.run()
        }
    }

    private static let lost = MovieError(
        .noEncoder,
        "encoders stall again and again; next: restart the program")

    /// Abandons a stalled thread and starts no other. Returns whether there is no thread now.
    func giveUp() -> Bool { threads.withLock { $0.current == nil || giveUp(&$0) } }

    /// Abandons a thread that has stalled outside our code. Its movie ends with what was recorded.
    private func giveUp(_ threads: inout Threads) -> Bool {
        let (now, moved) = (Clock.monotonic, mailbox.moved.load(ordering: .relaxed))
        guard mailbox.hasStalled(at: now), let thread = threads.current, thread.abandon() else {
            return false
        }
        mailbox.refusals.addCurrent()
        let unanswered = mailbox.forgetRecording()
        let away = (now - moved) / 1_000_000
        let error = MovieError(.noEncoder, "the encoder has made no progress for \(away) ms")
        inbox.post(.finish(.encoderFailed, error))
        for id in unanswered { inbox.post(.refuse(id, error)) }
        return true
    }
}
