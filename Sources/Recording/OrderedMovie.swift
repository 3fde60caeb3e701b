// SPDX-License-Identifier: GPL-3.0-or-later

/// A movie whose first picture has not come yet.
struct OrderedMovie {
    let order: MovieOrder
    /// Whether the movie ends with its first picture, because a stop was requested already.
    var endsAtOnce = false
    var beginsPaused = false
    /// Whether frames came that could not begin the movie: undecodable ones, or no key frames.
    var hasMissedFrames = false

    init(_ order: MovieOrder) { self.order = order }
}
