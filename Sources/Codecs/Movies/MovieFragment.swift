// SPDX-License-Identifier: GPL-3.0-or-later

/// A piece of a movie that plays with nothing but the pieces before it: the boxes `moof` and `mdat`
/// (ISO/IEC 14496-12, 8.8).
enum MovieFragment {
    private static let key: UInt32 = 0x0200_0000
    /// The sample depends on others, and playback cannot begin with it.
    private static let notKey: UInt32 = 0x0101_0000
    // A run has a data offset; each of its samples has a duration, a size and flags.
    private static let runFlags: UInt32 = 0x701
    private static let baseIsFragment: UInt32 = 0x2_0000

    /// Returns the fragment up to the samples, which follow in the order of the runs, and where
    /// each run's samples begin, counted from the fragment's first byte. Tracks count from 1.
    static func head(
        _ number: Int, _ runs: [(track: Int, run: TrackRun)]
    ) -> (bytes: [UInt8], offsets: [Int]) {
        var writer = BoxWriter()
        var places: [Int] = []
        writer.box("moof") { box in
            box.box("mfhd", version: 0) { $0.add(UInt32(truncatingIfNeeded: number)) }
            for (track, run) in runs {
                box.box("traf") { box in
                    box.box("tfhd", version: 0, flags: baseIsFragment) { $0.add(UInt32(track)) }
                    box.box("tfdt", version: 1) { $0.add(UInt64(run.start)) }
                    box.box("trun", version: 0, flags: runFlags) { box in
                        box.add(UInt32(run.samples.count))
                        places.append(box.bytes.count)
                        box.add(UInt32(0))
                        for sample in run.samples {
                            box.add(sample.duration)
                            box.add(sample.size)
                            box.add(sample.isKeyFrame ? key : notKey)
                        }
                    }
                }
            }
        }
        let sizes = runs.map { $0.run.samples.reduce(0) { $0 + Int($1.size) } }
        writer.add(UInt32(8 + sizes.reduce(0, +)))
        writer.add(text: "mdat")
        var offset = writer.bytes.count
        var offsets: [Int] = []
        for (place, size) in zip(places, sizes) {
            writer.overwrite(UInt32(offset), at: place)
            offsets.append(offset)
            offset += size
        }
        return (writer.bytes, offsets)
    }

    /// Parses the content of a `moof` that ``head(_:_:)`` made; `nil` for any other. Returns the
    /// runs with their tracks' numbers, from 1, and the offsets of their samples.
    static func parse(_ content: BoxReader) -> [(track: Int, run: TrackRun, offset: Int)]? {
        var found: [(Int, TrackRun, Int)] = []
        for (type, traf) in content.boxes where type == "traf" {
            guard let track = traf.box("tfhd")?.number(at: 4, UInt32.self),
                let start = traf.box("tfdt")?.number(at: 4, UInt64.self),
                let trun = traf.box("trun"), trun.number(at: 0, UInt32.self) == runFlags,
                let count = trun.number(at: 4, UInt32.self).map(Int.init),
                let offset = trun.number(at: 8, UInt32.self), trun.count == 12 + 12 * count
            else { return nil }
            let samples = (0..<count).map { index in
                let values = (0..<3).map { trun.number(at: 12 + 12 * index + 4 * $0, UInt32.self) }
                return TrackRun.Sample(
                    duration: values[0] ?? 0, size: values[1] ?? 0, isKeyFrame: values[2] == key)
            }
            guard let start = Int64(exactly: start) else { return nil }
            found.append((Int(track), TrackRun(start: start, samples: samples), Int(offset)))
        }
        return found.isEmpty ? nil : found
    }
}
