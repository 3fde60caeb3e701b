// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Importing
internal import Media

struct VideoProbe: Decodable {
    struct Stream: Decodable {
        struct SideData: Decodable { var displaymatrix: String? }
        struct Disposition: Decodable { var `default`: Int? }
        var index: Int
        var codecName: String?
        var pixFmt: String?
        var width: Int?
        var height: Int?
        var sampleAspectRatio: String?
        var sideDataList: [SideData]?
        var disposition: Disposition?
    }
    struct Format: Decodable {
        var duration: String?
        var tags: [String: String]?
    }
    var streams: [Stream]?
    var format: Format?

    /// The video stream that players show: the default one, otherwise the first.
    var shown: Stream? { streams?.first { $0.disposition?.default == 1 } ?? streams?.first }

    var description: VideoDescription {
        let stream = shown
        // Matroska writes tag names in capitals.
        var tags: [String: String] = [:]
        for (name, text) in format?.tags ?? [:] { tags[name.lowercased()] = text }
        let seconds = (format?.duration).flatMap { Double($0) } ?? -1
        let microseconds = (seconds * 1_000_000).rounded()
        return VideoDescription(
            codec: stream?.codecName, pixelFormat: stream?.pixFmt,
            dimensions: stream?.squareSize ?? Dimensions(width: 0, height: 0),
            orientation: stream?.orientation ?? .upright,
            durationMicroseconds: Int64(exactly: microseconds).flatMap { $0 > 0 ? $0 : nil },
            creationTime: tags["creation_time"].flatMap(Self.nanoseconds),
            creationDate: tags[Self.quickTime + "creationdate"],
            location: [Self.quickTime + "location.iso6709", "location"].lazy
                .compactMap { tags[$0].flatMap(Location.init(iso6709:)) }.first,
            // Both files of a live photo carry this identifier.
            belongsToPhoto: tags[Self.quickTime + "content.identifier"] != nil)
    }

    private static let quickTime = "com.apple.quicktime."

    /// Parses a time such as "2026-11-21T12:30:05.000000Z". Returns `nil` for 1904 and 1970, which
    /// cameras without a clock write.
    private static func nanoseconds(_ text: String) -> Int64? {
        guard let date = try? Date(text.prefix(19) + "Z", strategy: .iso8601) else { return nil }
        let seconds = date.timeIntervalSince1970
        return seconds > 86_400 && seconds < 9_000_000_000 ? Int64(seconds) * 1_000_000_000 : nil
    }
}

extension VideoProbe.Stream {
    /// The size with square pixels, as wide as players show it.
    fileprivate var squareSize: Dimensions? {
        guard let width, let height else { return nil }
        let aspect = sampleAspectRatio?.split(separator: ":").compactMap { Int($0) } ?? []
        guard aspect.count == 2, aspect[0] > 0, aspect[1] > 0 else {
            return Dimensions(width: width, height: height)
        }
        let (wide, isTooWide) = width.multipliedReportingOverflow(by: aspect[0])
        return Dimensions(width: isTooWide ? .max : wide / aspect[1], height: height)
    }

    /// The orientation in the display matrix, whose rows are an offset and three numbers.
    fileprivate var orientation: ExifOrientation? {
        let text = sideDataList?.compactMap(\.displaymatrix).first ?? ""
        let numbers = text.split(whereSeparator: \.isWhitespace).filter { !$0.hasSuffix(":") }
            .compactMap { Int($0) }
        guard numbers.count == 9 else { return nil }
        return ExifOrientation(displayMatrix: (numbers[0], numbers[1], numbers[3], numbers[4]))
    }
}
