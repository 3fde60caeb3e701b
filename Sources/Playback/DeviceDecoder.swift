// SPDX-License-Identifier: GPL-3.0-or-later

package import Codecs
internal import Glibc
internal import LinuxIO
internal import Media
internal import V4L2

/// Decodes the pictures of a track in hardware, into memory that a display can scan out.
package final class DeviceDecoder: PictureDecoding {
    private let device: DecoderDevice
    private let filter: ByteStreamFilter
    private var pending = PacketTimes()

    /// How many pictures are in use at a time: those that wait, those of the display, the shown
    /// one, and those of a search.
    private static let pictureCount = FeedWorker.picturesAhead + PlayerLayer.slots + 3
    private static let refusals = CodecRefusals()

    /// Opens the first device that decodes the track; `nil` if there is none.
    package init?(_ track: MediaTrack, of reader: MediaReader) {
        guard let format = track.codedFormat else { return nil }
        for description in CodecDescription.decoders(of: format)
        where !Self.refusals.contains(description.name) {
            guard
                let device = try? DecoderDevice(
                    description, format, track.dimensions, color: track.color,
                    pictureCount: Self.pictureCount),
                let filter = try? ByteStreamFilter(track, of: reader)
            else { continue }
            (self.device, self.filter) = (device, filter)
            return
        }
        return nil
    }

    package var name: String { device.description.name }

    /// Nothing: the device decodes every picture.
    package var skipsUnreferenced = false

    package func reset() throws {
        filter.reset()
        pending.removeAll()
        try use { () throws(SystemCallError) in try device.flush() }
    }

    package func send(_ packet: MediaPacket?) throws {
        guard let packet else { return device.end() }
        let tag = pending.nextTag
        try use { () throws(SystemCallError) in
            let isSent: Void? = try unsafe filter.withData(of: packet) {
                data throws(SystemCallError) in
                try unsafe device.send(data, tag: tag)
            }
            if isSent != nil { pending.add(time: packet.time, duration: packet.duration) }
        }
    }

    package func receive() throws -> DecodedPicture? {
        while true {
            let output = try use { () throws(SystemCallError) in try device.receive() }
            guard case .picture(let slot, let tag) = output, let pool = device.pool else {
                return nil
            }
            let lease = pool.lend(
                slot, FrameInfo(timestamp: Clock.monotonic, sequence: 0, bytesUsed: 0))
            // A picture that came before a jump goes back.
            guard let sent = pending.take(tag) else { continue }
            return DecodedPicture(lentFrom: pool, lease, at: sent.time, lasting: sent.duration)
        }
    }

    /// Avoids a device that does not answer for a while.
    private func use<Result>(
        _ body: () throws(SystemCallError) -> Result
    ) throws(SystemCallError) -> Result {
        do throws(SystemCallError) {
            return try body()
        } catch {
            if error.code == ETIMEDOUT { Self.refusals.add(name) }
            throw error
        }
    }
}
