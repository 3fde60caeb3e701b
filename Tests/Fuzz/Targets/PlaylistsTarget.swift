// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media
internal import Playback

/// Checks playlists and texts of a stranger's stream. The variant that is chosen is one of those
/// that are there, segments follow each other, and offsets are finite.
func takePlaylists(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let absolute = PlaylistText.absolute(text, at: "https://example.org/a/b.m3u8?c=d#e")
    for text in [text, absolute] {
        if let master = MasterPlaylist(text) {
            var limits = StreamLimits()
            for most in [nil, 1000.0, 1e9] {
                limits.peakBitRate = most
                let variant = master.variant(within: limits)
                precondition(master.variants.contains(variant))
                let again = MasterPlaylist(master.text(with: variant))
                precondition(again.map { $0.variants.count == 1 } ?? false)
            }
        }
        if let playlist = MediaPlaylist(text) {
            for (one, next) in zip(playlist.segments, playlist.segments.dropFirst()) {
                precondition(next.number == one.number &+ 1 && next.start >= one.start)
            }
        }
    }
    if let map = TimestampMap(text) {
        for origin in [MediaTime.zero, MediaTime(value: .max, timescale: 90_000), .invalid] {
            precondition(map.offset(from: origin).isNumeric)
        }
    }
}
