// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import FoundationEssentials
internal import LinuxIO
internal import Media

/// Movies that have all of their pictures and wait for the last of their sound, which comes later; the oldest first.
struct ClosingMovies {
    struct Closing {
        var movie: ActiveMovie
        /// In the movie's time, nanoseconds.
        let end: Int64
        let reason: MovieStopReason
        /// Where the encoder is the reason.
        var error: MovieError?
        /// In which it goes on.
        let next: MovieWriter.Beginning?
    }

    /// Nobody waits longer, nanoseconds.
    private static let patience: Int64 = 1_000_000_000
    private var movies: [Closing] = []
    private var limit: Int64 = 0

    var isEmpty: Bool { movies.isEmpty }
    /// In which they go on: nobody else knows of these yet.
    var promised: [UUID] { movies.compactMap(\.next?.order.id) }
    /// Whether the sound does not come any more.
    var isOverdue: Bool { !movies.isEmpty && Clock.monotonic >= limit }

    mutating func append(_ movie: Closing) {
        movies.append(movie)
        limit = Clock.monotonic + Self.patience
    }

    /// The oldest, which is complete.
    mutating func removeFirst() -> Closing { movies.removeFirst() }

    /// - Returns: whether the sound is the oldest one's; if not, that is complete.
    mutating func addSound(_ packet: EncodedSample) -> Bool {
        movies[0].movie.addSound(packet, until: movies[0].end)
    }
}
