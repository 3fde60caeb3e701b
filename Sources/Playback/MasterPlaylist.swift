// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// A playlist of HTTP Live Streaming that names the variants of a presentation (RFC 8216, section
/// 4.3.4).
struct MasterPlaylist {
    /// A variant of the presentation.
    struct Variant: Equatable {
        /// The most bits per second.
        let bandwidth: Int
        /// `nil` if it has no pictures, or does not say.
        let dimensions: Dimensions?
        /// The groups of other tracks that belong to it.
        fileprivate let groups: [String]
        /// The places of its lines.
        fileprivate let lines: Range<Int>
    }

    private let lines: [Substring]
    let variants: [Variant]

    /// Returns `nil` if the text names no variants.
    init?(_ text: String) {
        lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        guard lines.first?.hasPrefix("#EXTM3U") == true else { return nil }
        var variants: [Variant] = []
        for (place, line) in lines.enumerated() where line.hasPrefix("#EXT-X-STREAM-INF:") {
            let attributes = Self.attributes(line)
            let uri = lines[(place + 1)...].firstIndex { !$0.isEmpty && !$0.hasPrefix("#") }
            guard let uri, let bandwidth = attributes["BANDWIDTH"].flatMap({ Int($0) }) else {
                continue
            }
            let sides = attributes["RESOLUTION"]?.split(separator: "x").compactMap { Int($0) } ?? []
            variants.append(
                Variant(
                    bandwidth: bandwidth,
                    dimensions: sides.count == 2
                        ? Dimensions(width: sides[0], height: sides[1]) : nil,
                    groups: ["AUDIO", "VIDEO", "SUBTITLES"].compactMap { attributes[$0] },
                    lines: place..<uri + 1))
        }
        guard !variants.isEmpty else { return nil }
        self.variants = variants
    }

    /// Returns the attributes of a tag. Their values have no quotation marks.
    private static func attributes(_ line: Substring) -> [String: String] {
        var attributes: [String: String] = [:]
        var rest = line.drop { $0 != ":" }.dropFirst()
        while let equals = rest.firstIndex(of: "=") {
            let name = String(rest[..<equals])
            rest = rest[equals...].dropFirst()
            let isQuoted = rest.first == "\""
            if isQuoted { rest = rest.dropFirst() }
            let value = rest.prefix { $0 != (isQuoted ? "\"" : ",") }
            attributes[name] = String(value)
            rest = rest[value.endIndex...].drop { $0 != "," }.dropFirst()
        }
        return attributes
    }

    /// Returns the best variant within limits, or else the smallest.
    func variant(within limits: StreamLimits) -> Variant {
        let hasPictures = variants.contains { $0.dimensions != nil }
        let seen = variants.filter { !hasPictures || $0.dimensions != nil }
        let ordered = (seen.isEmpty ? variants : seen).sorted { $0.bandwidth < $1.bandwidth }
        return ordered.last { limits.allow($0) } ?? ordered[0]
    }

    /// Returns the playlist with one variant only, and the other tracks that belong to it.
    func text(with variant: Variant) -> String {
        var kept: [Substring] = []
        for (place, line) in lines.enumerated() {
            if variant.lines.contains(place) {
                kept.append(line)
            } else if variants.contains(where: { $0.lines.contains(place) })
                || line.hasPrefix("#EXT-X-I-FRAME-STREAM-INF")
            {
                continue
            } else if line.hasPrefix("#EXT-X-MEDIA:") {
                let group = Self.attributes(line)["GROUP-ID"] ?? ""
                if variant.groups.contains(group) { kept.append(line) }
            } else {
                kept.append(line)
            }
        }
        return kept.joined(separator: "\n")
    }
}

/// The limits for the variant of a stream.
struct StreamLimits: Equatable, Sendable {
    /// The most bits per second; `nil` for any number.
    var peakBitRate: Double?
    /// The largest pictures; `nil` for any size.
    var maximumResolution: Dimensions?

    fileprivate func allow(_ variant: MasterPlaylist.Variant) -> Bool {
        if let peakBitRate, Double(variant.bandwidth) > peakBitRate { return false }
        guard let maximumResolution, let size = variant.dimensions else { return true }
        return size.width <= maximumResolution.width && size.height <= maximumResolution.height
    }
}
