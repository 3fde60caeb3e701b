// SPDX-License-Identifier: GPL-3.0-or-later

package import Media

/// A playlist of HTTP Live Streaming that names the segments of one rendition (RFC 8216, section
/// 4.3.3).
package struct MediaPlaylist {
    /// A part of the rendition.
    package struct Segment {
        /// The same in each version of the playlist.
        package let number: Int
        /// When it begins, from the first segment of this version of the playlist.
        package let start: MediaTime
        /// The length that the playlist says, which is rounded.
        package let duration: MediaTime
        package let url: String

        var end: MediaTime { start + duration }
    }

    /// In the order of their numbers.
    package let segments: [Segment]
    /// Whether no other segments will follow.
    package let isEnded: Bool
    /// Whether the times of some segments do not follow those before.
    let hasDiscontinuities: Bool
    /// The URLs of keys.
    let keys: Set<String>

    /// Returns `nil` if the text is no playlist.
    package init?(_ text: String) {
        let lines = PlaylistText.lines(text)
        guard lines.first?.hasPrefix("#EXTM3U") == true else { return nil }
        func value(_ name: String, _ line: Substring) -> Substring? {
            line.hasPrefix("#\(name):") ? line.dropFirst(name.count + 2) : nil
        }
        var number =
            lines.lazy.compactMap { value("EXT-X-MEDIA-SEQUENCE", $0) }
            .first.flatMap { Int($0) } ?? 0
        var segments: [Segment] = []
        var (start, duration) = (MediaTime.zero, MediaTime.zero)
        for line in lines {
            if let text = value("EXTINF", line) {
                let seconds = Double(text.prefix { $0 != "," }) ?? 0
                duration = MediaTime(seconds: max(seconds, 0), preferredTimescale: 1_000_000)
            } else if !line.isEmpty, !line.hasPrefix("#") {
                segments.append(
                    Segment(number: number, start: start, duration: duration, url: String(line)))
                (number, start, duration) = (number &+ 1, start + duration, .zero)
            }
        }
        self.segments = segments
        isEnded = lines.contains("#EXT-X-ENDLIST")
        hasDiscontinuities = lines.contains("#EXT-X-DISCONTINUITY")
        keys = Set(
            lines.filter { $0.hasPrefix("#EXT-X-KEY:") }
                .compactMap { PlaylistText.attributes($0)["URI"] })
    }
}
