// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Joins the times of a playlist's parts where they jump: at a discontinuity (RFC 8216, section
/// 4.3.2.3), and where parts of a live stream were missed.
struct ContinuousTimes {
    /// The offset after the last jump of any track.
    private var latest = MediaTime.zero
    private var tracks: [Int: (next: MediaTime, offset: MediaTime)] = [:]

    /// Later times are a jump, and so are times that are earlier than this.
    private static let longestGap = MediaTime(value: 5, timescale: 1)
    private static let mostOverlap = MediaTime(value: 1, timescale: 2)

    /// Returns what has to be added to a packet's times.
    mutating func offset(
        of track: Int, decodedAt time: MediaTime, lasting duration: MediaTime
    ) -> MediaTime {
        guard time.isNumeric else { return tracks[track]?.offset ?? latest }
        var offset = latest
        if let (next, known) = tracks[track] {
            // Another track that has the same gap, or none, tells that the times have not jumped.
            let others = tracks.filter { $0.key != track && $0.value.offset == known }
            let isGap = others.contains { Self.follows(time + known, $0.value.next) }
            // The other tracks have jumped by as much, so that pictures and sound stay together.
            let found = [known, latest].first { Self.follows(time + $0, next) }
            offset = isGap ? known : found ?? next - time
            if !isGap, found == nil { latest = offset }
        }
        tracks[track] = (time + offset + duration, offset)
        return offset
    }

    private static func follows(_ time: MediaTime, _ next: MediaTime) -> Bool {
        let gap = time - next
        return gap <= longestGap && gap >= .zero - mostOverlap
    }
}
