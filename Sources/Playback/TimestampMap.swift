// SPDX-License-Identifier: GPL-3.0-or-later

package import Media

/// The clock of a segment of WebVTT (RFC 8216, section 3.5).
package struct TimestampMap: Equatable {
    /// It is in the head of the segment.
    static let mostBytes = 1024
    /// The time of the cues, and the time of the stream's MPEG-2 clock at which that is.
    package let local, stream: MediaTime

    /// Finds the map in the head of a segment; `nil` if there is none.
    package init?(_ text: String) {
        let name = "X-TIMESTAMP-MAP="
        let line = PlaylistText.lines(text).prefix { !$0.isEmpty }.first { $0.hasPrefix(name) }
        var (local, stream): (MediaTime?, MediaTime?)
        for part in line?.dropFirst(name.count).split(separator: ",") ?? [] {
            if part.hasPrefix("LOCAL:") { local = Self.time(part.dropFirst(6)) }
            if part.hasPrefix("MPEGTS:") {
                stream = Int64(part.dropFirst(7)).map {
                    MediaTime(value: $0 & (1 << 33 - 1), timescale: 90_000)
                }
            }
        }
        guard let local, let stream else { return nil }
        (self.local, self.stream) = (local, stream)
    }

    /// Reads `00:00:00.000` or `00:00.000`.
    private static func time(_ text: Substring) -> MediaTime? {
        let parts = text.split(separator: ":").map { Double($0) }
        guard (2...3).contains(parts.count), !parts.contains(nil) else { return nil }
        let seconds = parts.compactMap(\.self).reduce(0) { $0 * 60 + $1 }
        guard (0...longest).contains(seconds) else { return nil }
        return MediaTime(seconds: seconds, preferredTimescale: 1000)
    }

    /// A year, in seconds.
    private static let longest = 31_536_000.0

    /// The clock begins anew after this time.
    private static let period = MediaTime(value: 1 << 33, timescale: 90_000)

    /// Returns what has to be added to the times of the cues, so that they are as near as possible.
    /// - Parameter origin: The stream's time from which times count.
    package func offset(from origin: MediaTime) -> MediaTime {
        let distance = stream - origin
        guard distance.isNumeric else { return .zero }
        let turns = (distance.seconds / Self.period.seconds).rounded()
        return distance - Self.period * Int32(clamping: Int64(turns)) - local
    }
}
