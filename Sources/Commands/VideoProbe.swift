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
        var duration: String?
        var tags: [String: String]?
    }
    var streams: [Stream]?
    var format: Format?

    var description: VideoDescription {
        let stream = streams?.first
        // Counterclockwise, as the display matrix is read.
        let turned = stream?.sideDataList?.compactMap(\.rotation).first ?? 0
        // Matroska's are in capitals.
        var tags: [String: String] = [:]
        for (name, text) in format?.tags ?? [:] { tags[name.lowercased()] = text }
        let seconds = (format?.duration).flatMap { Double($0) } ?? -1
        let microseconds = (seconds * 1_000_000).rounded()
        return VideoDescription(
            codec: stream?.codecName, pixelFormat: stream?.pixFmt,
            dimensions: Dimensions(width: stream?.width ?? 0, height: stream?.height ?? 0),
            rotation: ((Int(exactly: (-turned).rounded()) ?? 0) % 360 + 360) % 360,
            durationMicroseconds: Int64(exactly: microseconds).flatMap { $0 > 0 ? $0 : nil },
            creationTime: tags["creation_time"].flatMap(Self.nanoseconds),
            location: [Self.quickTime + "location.iso6709", "location"].lazy
                .compactMap { tags[$0].flatMap(Location.init(iso6709:)) }.first,
            // What a live photo's two files share.
            belongsToPhoto: tags[Self.quickTime + "content.identifier"] != nil)
    }

    private static let quickTime = "com.apple.quicktime."

    /// Of "2026-11-21T12:30:05.000000Z"; cameras without a clock write 1904 or 1970, which is none.
    private static func nanoseconds(_ text: String) -> Int64? {
        guard let date = try? Date(text.prefix(19) + "Z", strategy: .iso8601) else { return nil }
        let seconds = date.timeIntervalSince1970
        return seconds > 86_400 && seconds < 9_000_000_000 ? Int64(seconds) * 1_000_000_000 : nil
    }
}
