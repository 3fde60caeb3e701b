// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Reads the pictures of one track, and finds the one of an instant. Not thread-safe.
public final class PictureReader {
    private let reader: MediaReader
    private let track: MediaTrack
    private let decoder: PictureDecoder
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
    /// - Throws: The errors of ``PictureDecoder``.
    public init(
        _ track: MediaTrack, of reader: MediaReader, threads: Int = 1
    ) throws(CodecError) {
        (self.track, self.reader) = (track, reader)
        decoder = try PictureDecoder(track, of: reader, threads: threads)
    }

    /// Returns the next picture in the order of presentation; `nil` at the end.
    /// - Throws: The errors of ``MediaReader/read(of:)``.
    public func next() throws -> DecodedPicture? {
        let picture = try ahead.isEmpty ? decodeNext() : ahead.removeFirst()
        if let picture { shown = picture }
        return picture
    }

    private func decodeNext() throws -> DecodedPicture? {
        while true {
            if let picture = decoder.receive() {
                if picture.time >= beginning { return picture }
                continue
            }
            if isAtEnd { return nil }
            let packet = try reader.read(of: track)
            if let packet {
                // A picture that a later one replaces in time is decoded only if others need it.
                decoder.skipsUnreferenced = packet.time < latest
                if packet.time <= wanted { latest = max(latest, packet.time) }
            } else {
                isAtEnd = true
                decoder.skipsUnreferenced = false
            }
            _ = decoder.send(packet)
        }
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
        decoder.reset()
        (ahead, isAtEnd, shown) = ([], false, nil)
        (wanted, latest) = (time, .negativeInfinity)
        beginning = try reader.seek(to: time, of: track)
    }
}
