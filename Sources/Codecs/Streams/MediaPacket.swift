// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
public import Media

/// Compressed samples of one track. Any thread may read and release it.
@safe
public final class MediaPacket: @unchecked Sendable {
    let packet: UnsafeMutablePointer<AVPacket>
    /// The number of the track.
    public let track: Int
    /// When the samples are presented, from the file's beginning; invalid if it is not known.
    public let time: MediaTime
    /// When they are decoded, which is not after ``time``; invalid if it is not known.
    public let decodeTime: MediaTime
    /// How long the samples are presented; zero if the file does not say.
    public let duration: MediaTime
    /// Whether decoding can begin here.
    public let isKeyFrame: Bool

    /// Takes a packet over, and leaves an empty one.
    init?(_ other: UnsafeMutablePointer<AVPacket>, of track: MediaTrack, from origin: MediaTime) {
        guard let packet = unsafe av_packet_alloc() else { return nil }
        unsafe av_packet_move_ref(packet, other)
        unsafe self.packet = packet
        self.track = track.index
        let (shown, decoded) = unsafe (packet.pointee.pts, packet.pointee.dts)
        decodeTime = track.time(decoded) - origin
        time = shown == cffmpeg_no_time ? decodeTime : track.time(shown) - origin
        duration = unsafe track.time(max(packet.pointee.duration, 0))
        isKeyFrame = unsafe packet.pointee.flags & AV_PKT_FLAG_KEY != 0
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
        unsafe av_packet_free(&packet)
    }

    /// Whether the bytes have these in a row.
    func contains(_ wanted: [UInt8]) -> Bool {
        guard let start = unsafe packet.pointee.data else { return false }
        return unsafe UnsafeBufferPointer(start: start, count: bytes).contains(wanted)
    }

    /// The size of the compressed samples.
    var bytes: Int { unsafe Int(packet.pointee.size) }
}
