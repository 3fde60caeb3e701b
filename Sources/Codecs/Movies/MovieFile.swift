// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media

/// Consecutive samples of one track, for ``MovieFile/append(_:)``.
public struct MovieRun: Sendable {
    /// The index of the track in the movie, from 0.
    public var track: Int
    /// The samples in order; at least one.
    public var samples: [EncodedSample]
    /// The end of the last sample, in nanoseconds of `CLOCK_MONOTONIC`.
    public var end: Int64

    /// Creates a run from its parts.
    public init(track: Int, samples: [EncodedSample], end: Int64) {
        self.track = track
        self.samples = samples
        self.end = end
    }
}

/// An MP4 file that is being recorded. It always plays up to the last whole fragment. Finishing
/// makes it an ordinary movie with one index and copies nothing.
///
///     recording   ftyp  free  moov        moof mdat  moof mdat  …
///     finished    ftyp  mdat( moov        moof mdat  moof mdat  … )  moov
///
/// ``finish()`` syncs the index to the disk before it turns the 16 bytes of `free` into the header
/// of the `mdat` around everything before the index. A crash in between leaves a fragmented movie
/// with extra data at its end, which ``mend(_:)`` finishes.
public struct MovieFile: ~Copyable, Sendable {
    private var file: GrowingFile
    private var indexes: [MovieIndex]
    private let metadata: MovieMetadata
    /// The movie's beginning, in nanoseconds of `CLOCK_MONOTONIC`.
    private let origin: Int64
    private var fragments = 0
    /// The finished index takes at most this many bytes per sample, and this many in addition. The
    /// unused part is free again on a full disk afterwards, for saving the movie.
    private static let (indexBytes, indexRoom) = (16, 1 << 20)

    /// Creates the file, which must not exist, and writes its header without syncing it. The movie
    /// begins at `origin`, the first sample's time in nanoseconds of `CLOCK_MONOTONIC`, and has at
    /// least one track.
    public init(
        creating path: String, _ tracks: [MovieTrack], _ metadata: MovieMetadata, origin: Int64
    ) throws(SystemCallError) {
        let indexes = tracks.map { MovieIndex($0) }
        var file = try GrowingFile(creating: path)
        try file.append(
            MovieHeader.fileType + Self.placeholder
                + MovieHeader.movie(indexes, metadata, isFragmented: true))
        self.file = file
        self.indexes = indexes
        self.metadata = metadata
        self.origin = origin
    }

    init(
        resuming file: consuming GrowingFile, _ indexes: [MovieIndex], _ metadata: MovieMetadata
    ) {
        self.file = file
        self.indexes = indexes
        self.metadata = metadata
        origin = 0
    }

    /// A box `free` that becomes the header of an `mdat`.
    static let placeholder: [UInt8] = {
        var writer = BoxWriter()
        writer.box("free") { $0.addZeros(8) }
        return writer.bytes
    }()

    /// The bytes written.
    public var bytes: Int { file.bytes }

    /// Whether no fragment was written, so that nothing can be shown.
    public var isEmpty: Bool { indexes.allSatisfy(\.isEmpty) }

    /// The time from the beginning to the end of the longest track, in nanoseconds.
    public var duration: Int64 {
        indexes.map {
            MediaTime(value: $0.end, timescale: $0.track.timescale)
                .converted(toTimescale: 1_000_000_000).value
        }.max() ?? 0
    }

    /// Appends a fragment with the next samples of each track. A time before the previous samples'
    /// end is replaced by that end. If the fragment cannot be written, the movie can still be
    /// finished without it: room for the index is reserved if the file system supports that.
    public mutating func append(_ runs: [MovieRun]) throws(SystemCallError) {
        let timed = runs.map { (track: $0.track + 1, run: trackRun($0)) }
        fragments += 1
        var (bytes, offsets) = MovieFragment.head(fragments, timed)
        bytes.reserveCapacity(
            runs.reduce(bytes.count) { $1.samples.reduce($0) { $0 + $1.bytes.count } })
        for run in runs {
            for sample in run.samples { bytes += sample.bytes }
        }
        let start = file.bytes
        let samples = runs.reduce(indexes.reduce(0) { $0 + $1.count }) { $0 + $1.samples.count }
        try file.reserve(bytes.count + Self.indexRoom + samples * Self.indexBytes)
        try file.append(bytes)
        for ((track, run), offset) in zip(timed, offsets) {
            indexes[track - 1].add(run, at: start + offset)
        }
    }

    /// Waits until everything appended survives a power cut.
    public borrowing func synchronize() throws(SystemCallError) { try file.synchronize() }

    /// Turns the file into an ordinary movie and returns its size in bytes. The movie survives a
    /// power cut when this returns.
    @discardableResult
    public consuming func finish() throws(SystemCallError) -> Int {
        let end = file.bytes
        try file.append(MovieHeader.movie(indexes, metadata, isFragmented: false))
        try file.trim()
        try file.synchronize()
        let start = MovieHeader.fileType.count
        var writer = BoxWriter()
        writer.add(UInt32(1))  // the length follows the type
        writer.add(text: "mdat")
        writer.add(UInt64(end - start))
        try file.overwrite(writer.bytes, at: start)
        try file.synchronize()
        return file.bytes
    }

    /// Converts a run to the track's units. Each sample lasts until the next one.
    private func trackRun(_ run: MovieRun) -> TrackRun {
        let index = indexes[run.track]
        let times =
            run.samples.map { units($0.time, of: index.track) }
            + [units(run.end, of: index.track)]
        var now = max(times[0], index.isEmpty ? 0 : index.end)
        let start = now
        let samples = run.samples.enumerated().map { number, sample in
            var next = max(times[number + 1], now + 1)
            // Sound packets have equal lengths: undo the rounding of their times.
            if let usual = index.track.sampleDuration, abs(next - now - usual) <= 2 {
                next = now + usual
            }
            defer { now = next }
            return TrackRun.Sample(
                duration: UInt32(clamping: next - now), size: UInt32(sample.bytes.count),
                isKeyFrame: sample.isKeyFrame)
        }
        return TrackRun(start: start, samples: samples)
    }

    private func units(_ time: Int64, of track: MovieTrack) -> Int64 {
        MediaTime(nanoseconds: time - origin).converted(toTimescale: track.timescale).value
    }
}
