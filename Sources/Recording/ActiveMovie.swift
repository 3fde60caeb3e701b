// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Media

/// What of a movie is not yet a fragment.
struct ActiveMovie {
    let order: MovieOrder
    let origin: Int64
    private(set) var bytes = 0
    private var waiting: [EncodedSample] = []
    private var last: Int64
    private var pausedSince: Int64?
    private(set) var isPaused = false
    /// How long it has been paused in all.
    private var left: Int64 = 0

    init(order: MovieOrder, origin: Int64) {
        self.order = order
        self.origin = origin
        last = origin
    }

    /// Up to the last picture, pauses left out; nanoseconds.
    var duration: Int64 { last - origin }

    mutating func pause() {
        if isPaused { return }
        isPaused = true
        pausedSince = nil
    }

    mutating func resume() { isPaused = false }

    /// - Returns: a fragment, when the sample begins another one.
    mutating func add(_ sample: EncodedSample) -> MovieRun? {
        if isPaused {
            pausedSince = pausedSince ?? sample.time
            return nil
        }
        if let since = pausedSince {
            // Until a key frame nothing that comes can be shown.
            guard sample.isKeyFrame else { return nil }
            left += sample.time - since
            pausedSince = nil
        }
        var sample = sample
        sample.time -= left
        last = sample.time
        bytes += sample.bytes.count
        defer { waiting.append(sample) }
        guard sample.isKeyFrame, !waiting.isEmpty else { return nil }
        return take(until: sample.time)
    }

    /// The last fragment.
    ///
    /// - Parameter interval: how long its last picture is shown, nanoseconds.
    mutating func rest(_ interval: Int64) -> MovieRun? {
        waiting.isEmpty ? nil : take(until: last + max(interval, 1_000_000))
    }

    private mutating func take(until end: Int64) -> MovieRun {
        defer { waiting = [] }
        return MovieRun(track: 0, samples: waiting, end: end)
    }
}
