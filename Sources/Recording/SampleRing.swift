// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// The last seconds of compressed pictures, from a key frame on: the pre-roll of the next movie.
struct SampleRing {
    private var groups: [Group] = []
    private let duration: Int64
    private let reserve: Int64
    private let largest: Int
    private(set) var bytes = 0

    /// A key frame and the pictures that depend on it.
    private struct Group {
        var samples: [EncodedSample]
        var bytes: Int
        var start: Int64 { samples[0].time }
    }

    /// Keeps at least `duration` nanoseconds of pre-roll (0 keeps nothing) and `reserve` more,
    /// because an order comes later than its moment. Keeps at most `largest` bytes.
    init(duration: Int64, reserve: Int64, largest: Int) {
        self.duration = duration
        self.reserve = reserve
        self.largest = largest
    }

    var all: [EncodedSample] { groups.flatMap(\.samples) }
    var start: Int64? { groups.first?.start }

    /// The length of a movie's pre-roll if the movie began with the newest sample, in nanoseconds.
    var length: Int64 {
        guard let last = groups.last?.samples.last else { return 0 }
        return last.time - groups[first(for: last.time)].start
    }

    /// Adds a sample and drops old ones. Samples from `start` on (`nil` for none) stay although
    /// they are old, as far as `largest` allows.
    mutating func add(_ sample: EncodedSample, keepingFrom start: Int64? = nil) {
        if duration == 0 { return }
        if sample.isKeyFrame {
            groups.append(Group(samples: [], bytes: 0))
        } else if groups.isEmpty {
            return
        }
        groups[groups.count - 1].samples.append(sample)
        groups[groups.count - 1].bytes += sample.bytes.count
        bytes += sample.bytes.count
        let oldest = min(sample.time - duration - reserve, start ?? .max)
        while groups.count > 1, groups[1].start <= oldest || bytes > largest {
            bytes -= groups.removeFirst().bytes
        }
        // A group is useless without its key frame.
        if bytes > largest, groups[0].samples.count > 1 { clear() }
    }

    /// Returns the pre-roll of a movie that begins at `moment`. It starts with the last key frame
    /// at least `duration` before, or with the oldest one. Old groups are left out until it is
    /// shorter than `longest` nanoseconds and smaller than `largest` bytes; `nil` sets no limit.
    func samples(
        for moment: Int64, shorterThan longest: Int64?, smallerThan largest: Int?
    ) -> [EncodedSample] {
        var movie = groups.dropFirst(first(for: moment))
        // An order comes later than its moment.
        let end = max(moment, groups.last?.samples.last?.time ?? moment)
        while let first = movie.first,
            end - first.start >= longest ?? .max
                || movie.reduce(0) { $0 + $1.bytes } >= largest ?? .max
        {
            movie.removeFirst()
        }
        return movie.flatMap(\.samples)
    }

    private func first(for moment: Int64) -> Int {
        groups.lastIndex { $0.start <= moment - duration } ?? 0
    }

    mutating func clear() {
        groups = []
        bytes = 0
    }
}
