// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Imaging
internal import Library
public import LinuxIO
internal import Media

/// Inspects files of unknown origin before a library imports them. Safe on any input.
public struct MediaInspector: Sendable {
    /// The memory in bytes that inspecting one file may take.
    public let memoryLimit: Int
    let programs: any MediaPrograms

    /// Creates an inspector that reads videos, HEIF and AVIF with `programs`.
    public init(memoryLimit: Int, programs: any MediaPrograms) {
        self.memoryLimit = memoryLimit
        self.programs = programs
    }

    /// Returns the kind of a file by its first bytes; `nil` if it cannot be imported.
    public func kind(of path: String) throws(SystemCallError) -> MediaKind? {
        MediaKind(try DurableFileReader(path).read(upTo: MediaKind.bytesWanted))
    }

    /// Reads as much of a file as shows that it is what it claims to be.
    /// - Throws: ``ImportError``; `SystemCallError` if the file cannot be read.
    public func inspect(_ path: String) async throws -> InspectedMedia {
        guard let kind = try kind(of: path) else { throw ImportError.notMedia }
        switch kind {
        case .jpeg, .png: return try picture(path, kind)
        case .heif, .avif:
            var media = try jpeg(try await picture(ofHEIF: path), kind)
            // The converted JPEG has only EXIF: read the words from the file itself.
            media.words = DescriptiveMetadata(reading: try content(path))
            return media
        case .mp4, .quickTime, .matroska: return try await video(path, kind)
        }
    }

    /// Inspects a file that needs no program; see ``inspect(_:)``.
    package func picture(_ path: String, _ kind: MediaKind) throws -> InspectedMedia {
        kind == .png ? try png(path) : try jpeg(try content(path), kind)
    }

    func content(_ path: String) throws -> [UInt8] {
        let count = try FileTree.entry(path)?.bytes ?? 0
        try require(count)
        let reader = try DurableFileReader(path)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while true {
            let block = try reader.read()
            if block.isEmpty { return bytes }
            bytes += block
            // A file that is being written grows.
            try require(bytes.count)
        }
    }

    func require(_ bytes: Int) throws(ImportError) {
        guard bytes > memoryLimit else { return }
        throw ImportError(
            .tooLarge,
            "checking it takes \(bytes >> 20) MB of memory, allowed: \(memoryLimit >> 20); "
                + "--memory-mb of an import allows more")
    }

    private func jpeg(_ bytes: [UInt8], _ kind: MediaKind) throws -> InspectedMedia {
        let beginning = JPEGBeginning(bytes)
        if let unusual = beginning?.unsupportedKind { throw ImportError.unsupported(unusual) }
        let whole = JPEGFile.ended(bytes)
        let hasEnd = whole.count == bytes.count
        let file: JPEGFile
        do {
            file = try JPEGFile(whole)
        } catch {
            let isCut = error.code == .truncated || !hasEnd
            throw ImportError(isCut ? .truncated : .damaged, error.message)
        }
        try require(bytes.count + file.bytesToDecode)
        var media = InspectedMedia(kind: kind, dimensions: file.dimensions)
        if kind == .jpeg { media.words = DescriptiveMetadata(reading: bytes) }
        media.orientation = beginning?.orientation ?? 1
        media.createdAt = (beginning?.metadata?.time).flatMap { WallTime($0) }
        media.location = beginning?.location
        media.mediaSubtypes = MediaSubtypes(
            customRendered: beginning?.customRendered, comment: beginning?.userComment)
        do {
            let decoder = try JPEGDecoder()
            media.thumbnail = try JPEGEncoder().thumbnail(of: whole, decoder: decoder)
            media.remark = decoder.complaint ?? (hasEnd ? nil : "its end marker is missing")
        } catch {
            let code: ImportError.Code =
                switch error.code {
                case .unsupported: .unsupported
                case .truncated: .truncated
                default: hasEnd ? .damaged : .truncated
                }
            throw ImportError(code, error.message)
        }
        // libjpeg warns of a premature end if it filled in missing rows.
        if let remark = media.remark, remark.contains("remature end") {
            throw ImportError(
                hasEnd ? .damaged : .truncated, "a part of the picture is missing: \(remark)")
        }
        return media
    }

    private func png(_ path: String) throws -> InspectedMedia {
        try unsafe withPNG(path) { file, bytes, pixels in
            var media = InspectedMedia(kind: .png, dimensions: file.dimensions)
            media.words = DescriptiveMetadata(reading: bytes)
            media.orientation = file.exif?.orientation ?? 1
            media.createdAt = (file.exif?.metadata?.time).flatMap { WallTime($0) }
            media.location = file.exif?.location
            media.mediaSubtypes = MediaSubtypes(
                customRendered: file.exif?.customRendered, comment: file.exif?.userComment)
            media.thumbnail = try unsafe JPEGEncoder().thumbnail(of: pixels)
            return media
        }
    }

    private func video(_ path: String, _ kind: MediaKind) async throws -> InspectedMedia {
        let video = try await programs.video(path)
        try video.requireCompatible()
        var media = InspectedMedia(kind: kind, dimensions: video.dimensions)
        media.orientation = video.orientation.rawValue
        media.durationMicroseconds = video.durationMicroseconds
        media.createdAt =
            video.creationDate.flatMap { PictureTime($0) }.flatMap { WallTime($0) }
            ?? video.creationTime.map {
                WallTime(nanoseconds: $0, utcOffsetSeconds: Clock.utcOffset(at: $0))
            }
        media.location = video.location
        if video.belongsToPhoto { media.mediaSubtypes = .liveClip }
        // A video may play even if its first pictures cannot be shown.
        if let poster = try? await programs.poster(path) {
            media.thumbnail = try? JPEGEncoder().thumbnail(of: poster, decoder: JPEGDecoder())
        }
        return media
    }
}

extension JPEGFile {
    /// The memory for the thumbnail in bytes: an eighth of the picture in each direction, in inks
    /// and in colours, and its coefficients if they are held.
    fileprivate var bytesToDecode: Int {
        let pixels = dimensions.width * dimensions.height
        return max(bytesOfHeldCoefficients, dimensions.width * 64) + pixels / 8
    }
}
