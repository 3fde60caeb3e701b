// SPDX-License-Identifier: GPL-3.0-or-later

/// A movie whose first picture has not come yet.
struct OrderedMovie {
    let order: MovieOrder
    /// Whether its end was asked for already: then one picture is all of it.
    var endsAtOnce = false
    /// Whether it is to be paused from its beginning on.
    var beginsPaused = false
    /// Whether frames came for it and none began it: they were no pictures, or nothing that playing can begin with.
    var hasMissedFrames = false

    init(_ order: MovieOrder) { self.order = order }
}
