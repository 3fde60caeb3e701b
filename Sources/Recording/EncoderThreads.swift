// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Synchronization

/// The thread that compresses, and those before it that stand still in their encoder.
final class EncoderThreads: Sendable {
    /// More, and only a new process helps.
    private static let mostHanging = 3

    private let mailbox: MovieMailbox
    private let settings: MovieSettings
    private let inbox: MovieWriter.Inbox
    private let threads: Mutex<Threads>

    private struct Threads {
        /// `nil` when too many hang for another one.
        var current: MovieThread? {
            didSet { watch = StandstillWatch() }
        }
        var watch = StandstillWatch()
        /// Given up, and not yet let go by their encoder.
        var hanging: [MovieThread] = []
    }

    /// Starts the first.
    init(_ mailbox: MovieMailbox, _ settings: MovieSettings, _ inbox: MovieWriter.Inbox) {
        self.mailbox = mailbox
        self.settings = settings
        self.inbox = inbox
        threads = Mutex(Threads(current: MovieThread(mailbox, settings, inbox)))
    }

    /// Goes on in another thread where the encoder's stands still, unless three hang already: then nothing is recorded
    /// until one of them is let go.
    func replaceHanging() {
        threads.withLock { threads in
            threads.hanging.removeAll(where: \.hasEnded)
            if let hung = threads.current {
                guard giveUp(&threads) else { return }
                threads.hanging.append(hung)
                threads.current = nil
            }
            guard threads.hanging.count <= Self.mostHanging else {
                let orders = mailbox.loseEncoder(Self.lost)
                return orders.forEach { inbox.post(.refuse($0.id, Self.lost)) }
            }
            mailbox.findEncoder()
            threads.current = MovieThread(mailbox, settings, inbox)
        }
    }
    private static let lost = MovieError(
        .noEncoder,
        "encoders stand still again and again, which only a new start of the program ends")

    /// Gives the thread up where it stands still, without another in its place.
    ///
    /// - Returns: whether there is none any more.
    func giveUp() -> Bool { threads.withLock { $0.current == nil || giveUp(&$0) } }

    /// Gives the encoder's thread up where it stands still: what was recorded until then is a movie. Not where it is in
    /// our own code.
    private func giveUp(_ threads: inout Threads) -> Bool {
        let moved = mailbox.moved.load(ordering: .relaxed)
        guard moved > 0, let thread = threads.current,
            threads.watch.standsStill(
                at: Clock.monotonic, moved: moved, activity: MovieThread.activity),
            // It may have come back meanwhile.
            mailbox.moved.load(ordering: .relaxed) == moved, thread.abandon()
        else { return false }
        mailbox.refusals.addCurrent()
        let unanswered = mailbox.forgetRecording()
        let away = (Clock.monotonic - moved) / 1_000_000
        let error = MovieError(.noEncoder, "the encoder has done nothing for \(away) ms")
        inbox.post(.finish(.encoderFailed, error))
        for id in unanswered { inbox.post(.refuse(id, error)) }
        return true
    }
}
