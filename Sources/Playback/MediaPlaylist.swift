// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// A playlist of HTTP Live Streaming that names the segments of one rendition (RFC 8216, section
/// 4.3.3).
struct MediaPlaylist {
    /// A part of the rendition.
    struct Segment {
        /// The same in each version of the playlist.
        let number: Int
        /// When it begins, from the first segment of this version of the playlist.
        let start: MediaTime
        let duration: MediaTime
        let url: String

        var end: MediaTime { start + duration }
    }

    let segments: [Segment]
    /// Whether no other segments will follow.
    let isEnded: Bool

    /// Returns `nil` if the text is no playlist.
    init?(_ text: String) {
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
    }
}
