// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import LinuxIO
internal import Media

extension MovieFile {
    /// Returns the facts that a finished recording states. Returns `nil` for any other file, and if
    /// the index is too large to read.
    public static func facts(_ path: String) throws(SystemCallError) -> MovieFacts? {
        do throws(SystemCallError) {
            return try scan(path).facts
        } catch {
            if error.isFileTooLarge { return nil }
            throw error
        }
    }

    private static func scan(_ path: String) throws(SystemCallError) -> RecordingScan {
        var scan = RecordingScan(try DurableFileReader(path))
        try scan.run()
        return scan
    }

    /// Finishes a recording that was cut off. Whole fragments stay; everything after them is
    /// dropped. A finished recording stays unchanged. Returns `nil` if nothing in the file can be
    /// played; it is unchanged then. Throws the error of reading or writing, `EFBIG` for too large
    /// an index; the call can be repeated.
    public static func mend(_ path: String) throws(SystemCallError) -> MovieFacts? {
        let scan = try scan(path)
        if let facts = scan.facts { return facts }
        guard let metadata = scan.metadata,
            scan.indexes.contains(where: { $0.track.kind == .video && !$0.isEmpty })
        else { return nil }
        let file = try GrowingFile(opening: path, keeping: scan.end)
        try MovieFile(resuming: file, scan.indexes, metadata).finish()
        return try self.scan(path).facts
    }
}

/// Reads a recording from its beginning to where it was cut off.
private struct RecordingScan: ~Copyable {
    private let file: DurableFileReader
    private(set) var indexes: [MovieIndex] = []
    private(set) var metadata: MovieMetadata?
    private(set) var facts: MovieFacts?
    /// The position after the last whole fragment; 0 if there is none.
    private(set) var end = 0

    /// The longest movie in seconds, a century: its times fit `Int64` in any timescale.
    private static let longestMovie: Int64 = 100 * 366 * 86_400
    /// The size limit of a header, and of a fragment's description and data, in bytes.
    private static let largestBox = 64 << 20
    /// The size limit of a finished movie's index, in bytes: about three days of recording.
    private static let largestIndex = 256 << 20

    init(_ file: consuming DurableFileReader) { self.file = file }

    mutating func run() throws(SystemCallError) {
        let start = MovieHeader.fileType.count
        guard try file.read(upTo: start, at: 0) == MovieHeader.fileType else { return }
        let placeholder = MovieFile.placeholder
        // The placeholder is replaced once the recording is finished.
        let isRecording = try file.read(upTo: placeholder.count, at: start) == placeholder
        var offset = isRecording ? start + placeholder.count : start
        while let box = try box(at: offset) {
            switch box.type {
            case "mdat" where !isRecording:
                // This `mdat` encloses everything; the index follows it.
                offset += box.size
                guard let index = try self.box(at: offset), index.type == "moov" else { return }
                // An index that is too large must not look like an empty one.
                if index.size > Self.largestIndex {
                    throw SystemCallError(call: "reading the index of a movie", code: EFBIG)
                }
                facts = MovieFacts(try content(index, at: offset, upTo: Self.largestIndex))
                return
            case "moov" where isRecording:
                if !readHeader(try content(box, at: offset)) { return }
            case "moof" where isRecording:
                guard let size = try readFragment(box, at: offset) else { return }
                offset += size
                end = offset
                continue
            default: return
            }
            offset += box.size
        }
    }

    private typealias Box = (type: String, size: Int)

    /// Returns the box at `offset`; `nil` unless the file holds all of it.
    private func box(at offset: Int) throws(SystemCallError) -> Box? {
        let head = BoxReader(try file.read(upTo: 16, at: offset))
        guard var size = head.number(at: 0, UInt32.self).map(Int.init), head.count >= 8
        else { return nil }
        if size == 1 {
            guard let large = head.number(at: 8, UInt64.self).flatMap(Int.init(exactly:))
            else { return nil }
            size = large
        }
        let type = String(decoding: head.content(from: 4).prefix(4), as: UTF8.self)
        guard size >= 8, size < Int.max - offset,
            try !file.read(upTo: 1, at: offset + size - 1).isEmpty
        else { return nil }
        return (type, size)
    }

    private func content(
        _ box: Box, at offset: Int, upTo most: Int = largestBox
    ) throws(SystemCallError) -> BoxReader {
        guard box.size <= most else { return BoxReader([]) }
        return BoxReader(try read(box.size, at: offset).dropFirst(8))
    }

    private func read(_ count: Int, at offset: Int) throws(SystemCallError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let more = try file.read(
                upTo: min(count - bytes.count, 1 << 20), at: offset + bytes.count)
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    private mutating func readHeader(_ movie: BoxReader) -> Bool {
        guard indexes.isEmpty, movie.box("mvex") != nil,
            let created = movie.box("mvhd")?.number(at: 4, UInt64.self)
        else { return false }
        for (type, trak) in movie.boxes where type == "trak" {
            guard let track = MovieTrack(trak) else { return false }
            indexes.append(MovieIndex(track))
        }
        metadata = MovieMetadata(fileTime: created, movie.box("udta"))
        return !indexes.isEmpty
    }

    /// Indexes a fragment and returns the bytes of its two boxes; `nil` unless it is whole.
    private mutating func readFragment(
        _ head: Box, at offset: Int
    ) throws(SystemCallError) -> Int? {
        guard let data = try box(at: offset + head.size), data.type == "mdat",
            data.size <= Self.largestBox,
            let runs = MovieFragment.parse(try content(head, at: offset))
        else { return nil }
        let bytes = try read(data.size, at: offset + head.size)
        guard Set(runs.map(\.track)).count == runs.count else { return nil }
        for run in runs where !isNext(run) || !isWhole(run, bytes, from: head.size) { return nil }
        for (track, run, start) in runs { indexes[track - 1].add(run, at: offset + start) }
        return head.size + data.size
    }

    private typealias Run = (track: Int, run: TrackRun, offset: Int)

    /// Whether the run follows its track's last one and ends within a century.
    private func isNext(_ run: Run) -> Bool {
        guard indexes.indices.contains(run.track - 1) else { return false }
        let index = indexes[run.track - 1]
        let limit = Self.longestMovie * Int64(index.track.timescale)
        return run.run.start >= index.end && run.run.start <= limit && run.run.end <= limit
    }

    /// Whether all samples are present, as far as their content shows.
    private func isWhole(_ run: Run, _ bytes: [UInt8], from start: Int) -> Bool {
        let isVideo = indexes[run.track - 1].track.kind == .video
        var offset = run.offset - start
        for sample in run.run.samples {
            let size = Int(sample.size)
            guard offset >= 8, size <= bytes.count - offset else { return false }
            let sample = bytes[offset..<offset + size]
            guard isVideo ? AVCParameterSets.isSample(sample) : sample.contains(where: { $0 != 0 })
            else { return false }
            offset += size
        }
        return true
    }
}

extension MovieTrack {
    /// Reads a box `trak` as ``MovieHeader`` writes it.
    init?(_ trak: BoxReader) {
        guard let head = trak.box("tkhd"), head.number(at: 0, UInt8.self) == 1,
            let media = trak.box("mdia"), media.box("mdhd")?.number(at: 0, UInt8.self) == 1,
            let kind = media.box("hdlr").flatMap({ box in
                Kind(rawValue: String(decoding: box.content(from: 8).prefix(4), as: UTF8.self))
            }),
            let timescale = media.box("mdhd")?.number(at: 20, UInt32.self),
            let entry = media.box("minf", "stbl", "stsd")?.content(from: 8),
            let width = head.number(at: 88, UInt32.self),
            let height = head.number(at: 92, UInt32.self), timescale > 0
        else { return nil }
        self.init(
            kind: kind, timescale: Int32(clamping: timescale),
            dimensions: Dimensions(width: Int(width >> 16), height: Int(height >> 16)),
            orientation: ExifOrientation(matrixOf: head), entry: entry)
    }
}

extension ExifOrientation {
    /// Reads a matrix that only turns and mirrors from the content of a box `tkhd` of version 1.
    fileprivate init(matrixOf head: BoxReader) {
        func number(_ offset: Int) -> Int {
            Int(Int32(bitPattern: head.number(at: offset, UInt32.self) ?? 0))
        }
        self.init(displayMatrix: (number(52), number(56), number(64), number(68)))
    }
}

extension MovieMetadata {
    /// - Parameter texts: the content of the box `udta`.
    init(fileTime: UInt64, _ texts: BoxReader?) {
        self.init(createdAt: Int64(clamping: fileTime) - 2_082_844_800)
        for (type, box) in texts?.boxes ?? [] {
            let text = String(decoding: box.content(from: 4), as: UTF8.self)
            if type.hasSuffix("mak") { make = text }
            if type.hasSuffix("mod") { model = text }
            if type.hasSuffix("swr") { software = text }
            if type.hasSuffix("xyz") { location = Location(iso6709: text) }
        }
    }
}
