// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
public import Media

/// The facts that a finished recording states.
public struct MovieFacts: Sendable, Hashable {
    /// The duration in nanoseconds.
    public let duration: Int64
    /// The size in pixels as stored.
    public let dimensions: Dimensions
    /// The turn and mirroring that players apply.
    public let orientation: ExifOrientation
    /// The creation time in seconds since 1970.
    public let createdAt: Int64
    /// The place of recording; `nil` if not stated.
    public let location: Location?

    /// Reads the facts from the content of the box `moov`; `nil` if they are incomplete.
    init?(_ movie: BoxReader) {
        guard let header = movie.box("mvhd"), header.number(at: 0, UInt8.self) == 1,
            let created = header.number(at: 4, UInt64.self),
            let timescale = header.number(at: 20, UInt32.self), timescale > 0,
            let length = header.number(at: 24, UInt64.self),
            let video = movie.boxes.lazy.filter({ $0.type == "trak" })
                .compactMap({ MovieTrack($0.content) }).first(where: { $0.kind == .video })
        else { return nil }
        duration =
            MediaTime(value: Int64(clamping: length), timescale: Int32(clamping: timescale))
            .converted(toTimescale: 1_000_000_000).value
        dimensions = video.dimensions
        orientation = video.orientation
        let metadata = MovieMetadata(fileTime: created, movie.box("udta"))
        (createdAt, location) = (metadata.createdAt, metadata.location)
    }
}
