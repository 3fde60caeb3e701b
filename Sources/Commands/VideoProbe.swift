// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Importing
internal import Media

/// What ffprobe writes as JSON.
struct VideoProbe: Decodable {
    struct Stream: Decodable {
        struct SideData: Decodable { var rotation: Double? }
        var codecName: String?
        var pixFmt: String?
        var width: Int?
        var height: Int?
        var sideDataList: [SideData]?
    }
    struct Format: Decodable {
        struct Tags: Decodable {
            var creationTime: String?
            /// Where it was taken, in ISO 6709: of cameras' own files and of iPhones'.
            var location: String?
            var quickTimeLocation: String?
            /// What a live photo's two files share.
            var contentIdentifier: String?

            enum CodingKeys: String, CodingKey {
                case creationTime, location
                case quickTimeLocation = "com.apple.quicktime.location.ISO6709"
                case contentIdentifier = "com.apple.quicktime.content.identifier"
            }
        }
        var duration: String?
        var tags: Tags?
    }
    var streams: [Stream]?
    var format: Format?

    var description: VideoDescription {
        let stream = streams?.first
        // Counterclockwise, as the display matrix is read.
        let turned = stream?.sideDataList?.compactMap(\.rotation).first ?? 0
        let seconds = (format?.duration).flatMap { Double($0) } ?? -1
        let microseconds = (seconds * 1_000_000).rounded()
        return VideoDescription(
            codec: stream?.codecName, pixelFormat: stream?.pixFmt,
            dimensions: Dimensions(width: stream?.width ?? 0, height: stream?.height ?? 0),
            rotation: ((Int(exactly: (-turned).rounded()) ?? 0) % 360 + 360) % 360,
            durationMicroseconds: Int64(exactly: microseconds).flatMap { $0 > 0 ? $0 : nil },
            creationTime: (format?.tags?.creationTime).flatMap(Self.nanoseconds),
            location: (format?.tags?.quickTimeLocation ?? format?.tags?.location)
                .flatMap(Location.init(iso6709:)),
            belongsToPhoto: format?.tags?.contentIdentifier != nil)
    }

    /// Of "2026-11-21T12:30:05.000000Z"; cameras without a clock write 1904 or 1970, which is none.
    private static func nanoseconds(_ text: String) -> Int64? {
        guard let date = try? Date(text.prefix(19) + "Z", strategy: .iso8601) else { return nil }
        let seconds = date.timeIntervalSince1970
        return seconds > 86_400 && seconds < 9_000_000_000 ? Int64(seconds) * 1_000_000_000 : nil
    }
}
