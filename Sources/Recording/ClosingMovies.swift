// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import FoundationEssentials
internal import LinuxIO
internal import Media

/// Movies that have all of their pictures and wait for their last sound, oldest first.
struct ClosingMovies {
    struct Closing {
        var movie: ActiveMovie
        /// The end in the movie's time, nanoseconds.
        let end: Int64
        let reason: MovieStopReason
        /// The encoder's error, if that ended the movie.
        var error: MovieError?
        /// The file in which the movie continues.
        let next: MovieWriter.Beginning?
    }

    /// Nanoseconds that movies wait for sound.
    private static let patience: Int64 = 1_000_000_000
    private var movies: [Closing] = []
    private var limit: Int64 = 0

    var isEmpty: Bool { movies.isEmpty }
    /// The files in which these movies continue, of which the writer does not know yet.
    var promised: [UUID] { movies.compactMap(\.next?.order.id) }
    var isOverdue: Bool { !movies.isEmpty && Clock.monotonic >= limit }

    mutating func append(_ movie: Closing) {
        movies.append(movie)
        limit = Clock.monotonic + Self.patience
    }

    mutating func removeFirst() -> Closing { movies.removeFirst() }

    /// Adds sound to the oldest movie; returns `false` if it is later, which completes the movie.
    mutating func addSound(_ packet: EncodedSample) -> Bool {
        movies[0].movie.addSound(packet, until: movies[0].end)
    }
}
