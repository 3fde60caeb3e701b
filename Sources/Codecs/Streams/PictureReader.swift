// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Reads the pictures of one track, and finds the one of an instant. Not thread-safe.
public final class PictureReader {
    private let reader: MediaReader
    private let track: MediaTrack
    private var decoder: any PictureDecoding
    private let threads: Int
    /// Whether libavcodec replaces the decoder when it fails.
    private var isReplaceable: Bool
    private let replaced: (any Error) -> Void
    /// The packets that a replaceable decoder got since the key frame before the last one.
    private var sent = SentPackets()
    /// The packets that another decoder gets again.
    private var again: [MediaPacket] = []
    /// The time of the last picture of a replaceable decoder, after which another one goes on.
    private var decoded: MediaTime?
    /// Pictures that a search has decoded too many.
    private var ahead: [DecodedPicture] = []
    private var isAtEnd = false
    /// The time of the key frame where reading began. Earlier pictures may refer to others that
    /// were not read.
    private var beginning = MediaTime.negativeInfinity
    /// The instant whose picture is wanted, and the time of the latest packet that is not after it.
    private var (wanted, latest) = (MediaTime.negativeInfinity, MediaTime.negativeInfinity)
    /// The last picture that was returned.
    private var shown: DecodedPicture?

    /// Begins at the first picture. The track must be selected.
    /// - Parameters:
    ///   - threads: How many pictures libavcodec decodes at a time.
    ///   - device: A decoder to use instead of libavcodec's as long as it works.
    ///   - replaced: Told why libavcodec goes on instead of the device. No picture is lost.
    /// - Throws: The errors of ``PictureDecoder``.
    public init(
        _ track: MediaTrack, of reader: MediaReader, threads: Int = 1,
        by device: (any PictureDecoding)? = nil,
        replaced: @escaping (any Error) -> Void = { _ in }
    ) throws(CodecError) {
        (self.track, self.reader, self.threads, self.replaced) = (track, reader, threads, replaced)
        isReplaceable = device != nil
        if let device {
            decoder = device
        } else {
            decoder = try PictureDecoder(track, of: reader, threads: threads)
        }
    }

    /// The name of the present decoder, for people.
    public var decoderName: String { decoder.name }

    /// Returns the next picture in the order of presentation; `nil` at the end.
    /// - Throws: The errors of ``MediaReader/read(of:)``.
    public func next() throws -> DecodedPicture? {
        let picture = try ahead.isEmpty ? decodeNext() : ahead.removeFirst()
        if let picture { shown = picture }
        return picture
    }

    private func decodeNext() throws -> DecodedPicture? {
        while true {
            if let picture = try attempt({ try decoder.receive() }) {
                guard picture.time >= beginning else { continue }
                if isReplaceable {
                    decoded = picture.time
                } else if let decoded, picture.time <= decoded {
                    continue
                }
                return picture
            }
            if isAtEnd { return nil }
            let packet = try again.isEmpty ? reader.read(of: track) : again.removeFirst()
            if let packet {
                // A picture that a later one replaces in time is decoded only if others need it.
                decoder.skipsUnreferenced = packet.time < latest
                if packet.time <= wanted { latest = max(latest, packet.time) }
                if isReplaceable { sent.add(packet) }
            } else {
                isAtEnd = true
                decoder.skipsUnreferenced = false
            }
            try attempt { try decoder.send(packet) }
        }
    }

    /// Lets libavcodec go on if the decoder fails.
    @discardableResult
    private func attempt<Result>(_ body: () throws -> Result?) throws -> Result? {
        do {
            return try body()
        } catch  where isReplaceable {
            // If libavcodec has no decoder, the device's error says more.
            guard (try? replaceDecoder()) != nil else { throw error }
            replaced(error)
            return nil
        }
    }

    private func replaceDecoder() throws {
        isReplaceable = false
        decoder = try PictureDecoder(track, of: reader, threads: threads)
        (again, sent, isAtEnd) = (sent.packets, SentPackets(), false)
    }

    /// Goes on with libavcodec's decoder, which finds closed captions, too.
    /// - Throws: The errors of ``PictureDecoder``.
    public func useLibavcodec() throws {
        if isReplaceable { try replaceDecoder() }
    }

    /// How much may be decoded instead of looking for a key frame.
    private static let nearby = MediaTime(value: 1, timescale: 2)

    /// Returns the picture that is shown at an instant: the last one whose time is not after it, or
    /// else the first. ``next()`` goes on behind it.
    /// - Parameters:
    ///   - tolerance: How much earlier a key frame may be that is as good.
    ///   - mayGoOn: Whether the reader may decode up to a picture that comes soon. Otherwise it
    ///     looks for a key frame, so that the other tracks are read from there, too.
    /// - Returns: `nil` if the track has no picture.
    /// - Throws: The errors of ``MediaReader/seek(to:of:)`` and of ``MediaReader/read(of:)``.
    public func picture(
        at time: MediaTime, toleranceBefore tolerance: MediaTime = .zero, mayGoOn: Bool = true
    ) throws -> DecodedPicture? {
        if mayGoOn, let shown, shown.time <= time, time < shown.time + Self.nearby {
            (wanted, latest) = (time, .negativeInfinity)
        } else {
            try seek(to: time)
        }
        var found = shown
        if tolerance > .zero, found == nil, beginning + tolerance >= time { return try next() }
        while let picture = try ahead.isEmpty ? decodeNext() : ahead.removeFirst() {
            if picture.time > time, found != nil {
                ahead.insert(picture, at: 0)
                break
            }
            found = picture
            if picture.time > time { break }
        }
        shown = found
        return found
    }

    private func seek(to time: MediaTime) throws {
        try attempt { try decoder.reset() }
        (ahead, isAtEnd, shown, again) = ([], false, nil, [])
        (sent, decoded) = (SentPackets(), nil)
        (wanted, latest) = (time, .negativeInfinity)
        beginning = try reader.seek(to: time, of: track)
    }
}

/// The last packets of a track, from which another decoder can go on.
private struct SentPackets {
    /// The most bytes that are kept. Where key frames lie farther apart, another decoder begins at
    /// the next one.
    private static let mostBytes = 32 << 20

    private(set) var packets: [MediaPacket] = []
    private var bytes = 0
    /// The index of the last key frame. Pictures before it may be decoded later.
    private var keyFrame = 0

    mutating func add(_ packet: MediaPacket) {
        if packet.isKeyFrame {
            packets.removeFirst(keyFrame)
            bytes = packets.reduce(0) { $0 + $1.bytes }
            keyFrame = packets.count
        }
        if bytes > Self.mostBytes { (packets, bytes, keyFrame) = ([], 0, 0) }
        packets.append(packet)
        bytes += packet.bytes
    }
}
