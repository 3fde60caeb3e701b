// SPDX-License-Identifier: GPL-3.0-or-later

package import Media

/// A playlist of HTTP Live Streaming that names the variants of a presentation (RFC 8216, section
/// 4.3.4).
package struct MasterPlaylist {
    /// A variant of the presentation.
    package struct Variant: Equatable {
        /// The most bits per second.
        package let bandwidth: Int
        /// `nil` if it has no pictures, or does not say.
        package let dimensions: Dimensions?
        /// The groups of other tracks that belong to it.
        fileprivate let groups: [String]
        /// The places of its tag and its URL.
        fileprivate let lines: [Int]
    }

    private let lines: [Substring]
    package let variants: [Variant]

    /// Returns `nil` if the text names no variants.
    package init?(_ text: String) {
        lines = PlaylistText.lines(text)
        guard lines.first?.hasPrefix("#EXTM3U") == true else { return nil }
        var variants: [Variant] = []
        for (place, line) in lines.enumerated() where line.hasPrefix("#EXT-X-STREAM-INF:") {
            let attributes = PlaylistText.attributes(line)
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
                    lines: [place, uri]))
        }
        guard !variants.isEmpty else { return nil }
        self.variants = variants
    }

    /// Returns the best variant within limits, or else the smallest.
    package func variant(within limits: StreamLimits) -> Variant {
        let ordered = orderedVariants
        return ordered.last { limits.allow($0) } ?? ordered[0]
    }

    /// The variants with pictures, or else all, the smallest first.
    var orderedVariants: [Variant] {
        let seen = variants.filter { $0.dimensions != nil }
        return (seen.isEmpty ? variants : seen).sorted { $0.bandwidth < $1.bandwidth }
    }

    /// Returns the subtitles that belong to a variant.
    func subtitles(of variant: Variant) -> [SubtitleRendition] {
        lines.lazy.filter { $0.hasPrefix(Self.rendition) }.map { PlaylistText.attributes($0) }
            .filter { variant.groups.contains($0["GROUP-ID"] ?? "") }
            .compactMap { SubtitleRendition($0) }
    }

    private static let rendition = "#EXT-X-MEDIA:"

    /// Returns the playlist with one variant only, and the pictures and sound that belong to it.
    package func text(with variant: Variant) -> String {
        var kept: [Substring] = []
        for (place, line) in lines.enumerated() {
            if variant.lines.contains(place) {
                kept.append(line)
            } else if variants.contains(where: { $0.lines.contains(place) })
                || line.hasPrefix("#EXT-X-I-FRAME-STREAM-INF")
            {
                continue
            } else if line.hasPrefix(Self.rendition) {
                let attributes = PlaylistText.attributes(line)
                let isKept =
                    variant.groups.contains(attributes["GROUP-ID"] ?? "")
                    && attributes["TYPE"] != "SUBTITLES"
                if isKept { kept.append(line) }
            } else {
                kept.append(line)
            }
        }
        return kept.joined(separator: "\n")
    }
}

/// The limits for the variant of a stream.
package struct StreamLimits: Equatable, Sendable {
    /// The most bits per second; `nil` for any number.
    package var peakBitRate: Double?
    /// The largest pictures; `nil` for any size.
    package var maximumResolution: Dimensions?
    /// The most bits per second that the network can carry; `nil` if it never was too slow.
    package var carriedBitRate: Double?

    /// Allows every variant.
    package init() {}

    func allow(_ variant: MasterPlaylist.Variant) -> Bool {
        let most = [peakBitRate, carriedBitRate].compactMap(\.self).min()
        if let most, Double(variant.bandwidth) > most { return false }
        guard let maximumResolution, let size = variant.dimensions else { return true }
        return size.width <= maximumResolution.width && size.height <= maximumResolution.height
    }
}
