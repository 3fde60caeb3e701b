// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// The positions and times of a track's samples: the content of the box `stbl`.
struct MovieIndex {
    let track: MovieTrack
    /// The time from the movie's beginning to the first sample, in units of the track's timescale.
    private(set) var start: Int64 = 0
    /// The end of the last sample, in the same units.
    private(set) var end: Int64 = 0
    private var durations: [UInt32] = []
    private var sizes: [UInt32] = []
    /// The key frames' sample numbers, from 1.
    private var keyFrames: [UInt32] = []
    private var chunks: [(offset: UInt64, samples: UInt32)] = []

    init(_ track: MovieTrack) { self.track = track }

    var isEmpty: Bool { sizes.isEmpty }
    var count: Int { sizes.count }

    /// Adds samples that are contiguous in the file from `offset`.
    mutating func add(_ run: TrackRun, at offset: Int) {
        if isEmpty {
            start = run.start
        } else if run.start > end {
            // The last picture stays on screen during a gap.
            let last = durations.count - 1
            durations[last] = UInt32(clamping: Int64(durations[last]) + run.start - end)
        }
        for sample in run.samples {
            durations.append(sample.duration)
            sizes.append(sample.size)
            if sample.isKeyFrame { keyFrames.append(UInt32(sizes.count)) }
        }
        chunks.append((UInt64(offset), UInt32(run.samples.count)))
        end = run.end
    }

    /// Writes the sample tables, which are empty for a fragmented movie.
    func writeTables(to box: inout BoxWriter) {
        writeTimes(to: &box)
        if track.kind == .video, keyFrames.count < sizes.count {
            box.box("stss", version: 0) { box in
                box.add(UInt32(keyFrames.count))
                for number in keyFrames { box.add(number) }
            }
        }
        writeChunks(to: &box)
        box.box("stsz", version: 0) { box in
            box.add(UInt32(0))
            box.add(UInt32(sizes.count))
            for size in sizes { box.add(size) }
        }
        box.box("co64", version: 0) { box in
            box.add(UInt32(chunks.count))
            for chunk in chunks { box.add(chunk.offset) }
        }
    }

    private func writeTimes(to box: inout BoxWriter) {
        let runs = durations.runs
        box.box("stts", version: 0) { box in
            box.add(UInt32(runs.count))
            for run in runs {
                box.add(UInt32(run.count))
                box.add(run.value)
            }
        }
    }

    private func writeChunks(to box: inout BoxWriter) {
        let runs = chunks.map(\.samples).runs
        box.box("stsc", version: 0) { box in
            box.add(UInt32(runs.count))
            for run in runs {
                box.add(UInt32(run.start + 1))
                box.add(run.value)
                box.add(UInt32(1))  // sample description
            }
        }
    }
}

extension [UInt32] {
    fileprivate var runs: [(start: Int, count: Int, value: UInt32)] {
        var found: [(start: Int, count: Int, value: UInt32)] = []
        for (index, value) in enumerated() {
            if let last = found.last, last.value == value {
                found[found.count - 1].count += 1
            } else {
                found.append((index, 1, value))
            }
        }
        return found
    }
}

/// Consecutive samples of one track, in units of its timescale.
struct TrackRun {
    struct Sample {
        var duration: UInt32
        var size: UInt32
        var isKeyFrame: Bool
    }
    /// The time from the movie's beginning to the first sample.
    var start: Int64
    var samples: [Sample]

    var end: Int64 { samples.reduce(start) { $0 + Int64($1.duration) } }
}
