// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// The thread that a movie's encoder runs on. One that the encoder keeps can be given up for another.
struct MovieThread: Sendable {
    private let thread: NamedThread
    private let boundary: KernelBoundary

    /// Starts it, with the stream that runs now.
    init(
        _ mailbox: MovieMailbox, _ settings: MovieSettings, _ writer: MovieWriter.Inbox
    ) {
        let boundary = KernelBoundary()
        self.boundary = boundary
        thread = NamedThread(Self.name) {
            var loop = MovieLoop(mailbox, settings, writer, boundary)
            loop.run()
        }
    }

    var hasEnded: Bool { thread.hasEnded }
    private static let name = "movie-encoder"
    /// What such threads do, and those that their encoders have started. One that was given up for a loop without an end
    /// hides another's standstill for as long as such a loop may last.
    static var activity: NamedThread.Activity { NamedThread.activity(ofAll: name) }

    /// Gives the thread up, unless it is in our own code.
    ///
    /// - Returns: whether it is.
    func abandon() -> Bool { boundary.abandon() }
}
