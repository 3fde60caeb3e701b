// SPDX-License-Identifier: GPL-3.0-or-later

/// The sequences of all assets that a fetch found, in its order. A changed list consists of slices
/// of the one before and shares its memory, so a change costs only what it changes.
struct SequenceList: Sendable {
    /// The number of slices above which they are copied into one.
    private static let mostSlices = 2000

    private var slices: [ArraySlice<Int64>]
    /// The index of each slice's first element.
    private var starts: [Int]
    private(set) var count: Int

    init(_ sequences: [Int64]) {
        self.init(slices: sequences.isEmpty ? [] : [sequences[...]])
    }

    private init(slices: [ArraySlice<Int64>]) {
        self.slices = slices
        starts = []
        starts.reserveCapacity(slices.count)
        count = 0
        for slice in slices {
            starts.append(count)
            count += slice.count
        }
    }

    subscript(place: Int) -> Int64 {
        let index = slice(at: place)
        return slices[index][slices[index].startIndex + place - starts[index]]
    }

    /// The sequences in a range, which must be within the list.
    subscript(places: Range<Int>) -> [Int64] {
        var result: [Int64] = []
        result.reserveCapacity(places.count)
        forEachSlice(in: places) { result += $0 }
        return result
    }

    var elements: [Int64] { self[0..<count] }

    /// Returns the list without the elements at the indexes `removed`, in ascending order, and with
    /// those `inserted`, in order, each before a place that does not count removed elements.
    func edited(
        removing removed: some Sequence<Int>, inserting inserted: [(place: Int, sequence: Int64)]
    ) -> SequenceList {
        var kept: [ArraySlice<Int64>] = []
        var start = 0
        for place in removed {
            forEachSlice(in: start..<place) { kept.append($0) }
            start = place + 1
        }
        forEachSlice(in: start..<count) { kept.append($0) }
        if inserted.isEmpty { return SequenceList(slices: kept).compacted() }

        let rest = SequenceList(slices: kept)
        var slices: [ArraySlice<Int64>] = []
        start = 0
        for (place, sequence) in inserted {
            rest.forEachSlice(in: start..<place) { slices.append($0) }
            slices.append([sequence])
            start = place
        }
        rest.forEachSlice(in: start..<rest.count) { slices.append($0) }
        return SequenceList(slices: slices).compacted()
    }

    private func compacted() -> SequenceList {
        slices.count > Self.mostSlices ? SequenceList(elements) : self
    }

    private func slice(at place: Int) -> Int { starts.partitioningIndex { $0 > place } - 1 }

    private func forEachSlice(in places: Range<Int>, _ body: (ArraySlice<Int64>) -> Void) {
        if places.isEmpty { return }
        for index in slice(at: places.lowerBound)..<slices.count {
            let (slice, start) = (slices[index], starts[index])
            let from = max(places.lowerBound - start, 0)
            let to = min(places.upperBound - start, slice.count)
            guard from < to else { return }
            body(slice[slice.startIndex + from..<slice.startIndex + to])
        }
    }
}

extension RandomAccessCollection {
    /// Returns the first index whose element fits, if all that fit come last; else `endIndex`.
    func partitioningIndex(where fits: (Element) throws -> Bool) rethrows -> Index {
        var (start, count) = (startIndex, count)
        while count > 0 {
            let half = count / 2
            let middle = index(start, offsetBy: half)
            if try fits(self[middle]) {
                count = half
            } else {
                start = index(after: middle)
                count -= half + 1
            }
        }
        return start
    }
}
