// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media

/// Samples of one track that follow each other, for ``MovieFile/append(_:)``.
public struct MovieRun: Sendable {
    /// Of the movie's tracks, from 0 on.
    public var track: Int
    /// At least one, in order.
    public var samples: [EncodedSample]
    /// When the last one is over: nanoseconds of `CLOCK_MONOTONIC`.
    public var end: Int64

    /// Of the given parts.
    public init(track: Int, samples: [EncodedSample], end: Int64) {
        self.track = track
        self.samples = samples
        self.end = end
    }
}

/// An MP4 file that is being recorded. It plays at every moment up to the last whole fragment, and is an ordinary
/// movie with one index when it is finished; nothing is copied for that.
///
///     recording   ftyp  free  moov        moof mdat  moof mdat  …
///     finished    ftyp  mdat( moov        moof mdat  moof mdat  … )  moov
///
/// The index of the finished movie is on the medium before the 16 bytes of `free` become the beginning of the
/// `mdat` around everything before it: a crash in between leaves a movie in fragments with something behind
/// them, which ``mend(_:)`` finishes.
public struct MovieFile: ~Copyable, Sendable {
    private var file: GrowingFile
    private var indexes: [MovieIndex]
    private let metadata: MovieMetadata
    /// Nanoseconds of `CLOCK_MONOTONIC` that are the movie's beginning.
    private let origin: Int64
    private var fragments = 0
    /// Of a finished movie's index for each sample, at the most, and besides; a disk that was full has that much room
    /// again afterwards, for whoever keeps the movie.
    private static let (indexBytes, indexRoom) = (16, 1 << 20)

    /// Begins a file that is not there yet; nothing is synchronized.
    ///
    /// - Parameters:
    ///   - origin: the movie's beginning: the first sample's time, nanoseconds of `CLOCK_MONOTONIC`.
    ///   - tracks: at least one.
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

    /// Of one whose fragments have been read.
    init(
        resuming file: consuming GrowingFile, _ indexes: [MovieIndex], _ metadata: MovieMetadata
    ) {
        self.file = file
        self.indexes = indexes
        self.metadata = metadata
        origin = 0
    }

    /// A box `free` that becomes the beginning of an `mdat`.
    static let placeholder: [UInt8] = {
        var writer = BoxWriter()
        writer.box("free") { $0.addZeros(8) }
        return writer.bytes
    }()

    /// Bytes written.
    public var bytes: Int { file.bytes }

    /// Whether nothing can be shown of it: no fragment was written.
    public var isEmpty: Bool { indexes.allSatisfy(\.isEmpty) }

    /// From the beginning to the end of the longest track, nanoseconds.
    public var duration: Int64 {
        indexes.map {
            MediaTime(value: $0.end, timescale: $0.track.timescale)
                .converted(toTimescale: 1_000_000_000).value
        }.max() ?? 0
    }

    /// Appends a fragment: what comes of each track until the next one. Times that go back are taken as the end
    /// of what was before. One that could not be written is not in the movie, which can be finished all the same: what
    /// that takes is kept free for it, as far as the file system can.
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

    /// Waits until all that was appended survives a power cut.
    public borrowing func synchronize() throws(SystemCallError) { try file.synchronize() }

    /// Makes an ordinary movie of it, which survives a power cut when this returns.
    ///
    /// - Returns: its bytes.
    @discardableResult
    public consuming func finish() throws(SystemCallError) -> Int {
        let end = file.bytes
        try file.append(MovieHeader.movie(indexes, metadata, isFragmented: false))
        try file.trim()
        try file.synchronize()
        let start = MovieHeader.fileType.count
        var writer = BoxWriter()
        writer.add(UInt32(1))  // the length comes behind the type
        writer.add(text: "mdat")
        writer.add(UInt64(end - start))
        try file.overwrite(writer.bytes, at: start)
        try file.synchronize()
        return file.bytes
    }

    /// In units of the track: each sample lasts until the next one.
    private func trackRun(_ run: MovieRun) -> TrackRun {
        let index = indexes[run.track]
        let times =
            run.samples.map { units($0.time, of: index.track) }
            + [units(run.end, of: index.track)]
        var now = max(times[0], index.isEmpty ? 0 : index.end)
        let start = now
        let samples = run.samples.enumerated().map { number, sample in
            var next = max(times[number + 1], now + 1)
            // Times are rounded; packets of sound are alike.
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
