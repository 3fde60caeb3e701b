// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// The last seconds of compressed pictures, from a key frame on: what a movie has from before its beginning.
struct SampleRing {
    private var groups: [Group] = []
    private let duration: Int64
    private let reserve: Int64
    private let largest: Int
    private(set) var bytes = 0

    /// A key frame and what depends on it.
    private struct Group {
        var samples: [EncodedSample]
        var bytes: Int
        var start: Int64 { samples[0].time }
    }

    /// - Parameters:
    ///   - duration: nanoseconds before a moment that a movie has at least; 0 keeps nothing.
    ///   - reserve: nanoseconds that are kept besides, because an order comes later than its moment.
    ///   - largest: bytes that are kept at the most.
    init(duration: Int64, reserve: Int64, largest: Int) {
        self.duration = duration
        self.reserve = reserve
        self.largest = largest
    }

    /// All that is kept.
    var all: [EncodedSample] { groups.flatMap(\.samples) }
    /// When that begins; `nil` where nothing is kept.
    var start: Int64? { groups.first?.start }

    /// What a movie would have that begins with the newest sample; nanoseconds.
    var length: Int64 {
        guard let last = groups.last?.samples.last else { return 0 }
        return last.time - groups[first(for: last.time)].start
    }

    /// Takes a sample in, for which older ones may go.
    ///
    /// - Parameter start: what lies from then on stays, though it is older; `nil` for nothing.
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
        // Without its key frame nothing of it is of use.
        if bytes > largest, groups[0].samples.count > 1 { clear() }
    }

    /// What belongs to a movie that begins at `moment`: from the last key frame on that is not after it less the
    /// duration; from the first one where none is so old. Of a movie that may not be so long, or so large, what it has
    /// room for.
    ///
    /// - Parameters:
    ///   - longest: nanoseconds; `nil` for any.
    ///   - largest: bytes; `nil` for any.
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
