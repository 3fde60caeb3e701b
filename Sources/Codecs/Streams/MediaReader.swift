// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Glibc
public import LinuxIO
public import Media
internal import Synchronization

/// Reads the packets of a media file or stream with libavformat, loaded for the first reader. Times
/// count from the file's beginning. A file cannot make the reader open another one. Not
/// thread-safe, except where it is said.
@safe
public final class MediaReader: @unchecked Sendable {
    private let format: UnsafeMutablePointer<AVFormatContext>
    private let bridge: SourceBridge
    /// The name for errors.
    public let name: String
    /// The tracks that can be played.
    public let tracks: [MediaTrack]
    /// The cover of a piece of music.
    private let coverTrack: MediaTrack?
    /// The length; indefinite if it is not known, as for a live stream.
    public let duration: MediaTime
    /// The file's own metadata, such as `title` and `artist`: FFmpeg's names.
    public let metadata: [String: String]
    /// Whether ``seek(to:of:)`` works.
    public let isSeekable: Bool
    /// How fast the bytes are played; `nil` if it is not known.
    private let bytesPerSecond: Double?
    /// The file's time at its beginning.
    public let origin: MediaTime
    private let packet: UnsafeMutablePointer<AVPacket>
    private var hasRead = false
    private let reading = Atomic<Int64>(0)
    /// Joins the times of a playlist's parts; `nil` for another format.
    private var times: ContinuousTimes?
    /// Packets that were read before somebody wanted them.
    private var waiting = WaitingPackets()

    /// Opens a file or a pipe; throws as ``init(_:name:as:stop:origin:)``.
    public convenience init(
        _ file: consuming OwnedDescriptor, name: String, stop: MediaStop? = nil
    ) throws {
        let stop = try stop ?? MediaStop()
        let isFile = file.isRegularFile
        let source: any MediaSource = isFile ? FileSource(file) : try PipeSource(file, stop)
        try self.init(source, name: name, stop: stop)
    }

    /// Opens what a source has, and finds its tracks.
    /// - Parameters:
    ///   - name: The file's name or URL. Its ending may tell the format.
    ///   - formatName: libavformat's name of the format; `nil` to look for it.
    ///   - stop: Ends a read that waits, and every later one.
    ///   - origin: The time from which times count; `nil` for the file's beginning.
    /// - Throws: `missing` if libavformat is not installed; `unsupported` for an unknown format;
    ///   `truncated`, `exhausted`; `failed`; the source's own errors.
    public init(
        _ source: any MediaSource, name: String, as formatName: String? = nil, stop: MediaStop,
        origin: MediaTime? = nil
    ) throws {
        try FFmpegLibrary.loadFormats()
        guard let packet = unsafe av_packet_alloc() else {
            throw CodecError(.exhausted, "no memory to read \(name)")
        }
        let bridge = SourceBridge(source, SourceFailure(), stop)
        var format: UnsafeMutablePointer<AVFormatContext>?
        var functions = unsafe bridge.functions
        let code = unsafe cffmpeg_open(&format, &functions, name, formatName)
        guard code >= 0, let format = unsafe format else {
            var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
            unsafe av_packet_free(&packet)
            throw bridge.failure.take() ?? CodecError(opening: code, name)
        }
        let numbers = unsafe 0..<Int(format.pointee.nb_streams)
        let streams = unsafe numbers.compactMap { number in
            unsafe format.pointee.streams[number].map { unsafe UnsafePointer($0) }
        }
        let all = unsafe streams.compactMap { unsafe MediaTrack($0) }
        tracks = all.filter { !$0.isCover }
        coverTrack = all.first(where: \.isCover)
        var first = MediaTime.positiveInfinity
        for track in tracks where track.kind != .subtitle {
            let start = unsafe track.time(streams[track.index].pointee.start_time)
            if start.isNumeric { first = min(first, start) }
        }
        self.origin = origin ?? (first.isNumeric ? first : .zero)
        let length = unsafe format.pointee.duration
        duration =
            length > 0 ? MediaTime(value: length, timescale: Int32(AV_TIME_BASE)) : .indefinite
        metadata = unsafe Self.texts(format.pointee.metadata)
        let bits = unsafe format.pointee.bit_rate
        bytesPerSecond = bits > 0 ? Double(bits) / 8 : nil
        isSeekable = unsafe source.isSeekable && format.pointee.ctx_flags & AVFMTCTX_UNSEEKABLE == 0
        for number in numbers where !tracks.contains(where: { $0.index == number }) {
            unsafe format.pointee.streams[number]?.pointee.discard = AVDISCARD_ALL
        }
        times = formatName == Self.playlistFormat ? ContinuousTimes() : nil
        self.name = name
        self.bridge = bridge
        unsafe self.format = format
        unsafe self.packet = packet
    }

    /// libavformat's name of playlists of HTTP Live Streaming.
    public static let playlistFormat = "hls"

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
        unsafe av_packet_free(&packet)
        unsafe cffmpeg_close(format)
    }

    /// Since when a read waits for the medium or the network, in nanoseconds of `CLOCK_MONOTONIC`;
    /// `nil` if none does. Any thread.
    public var readingSince: Int64? {
        let since = reading.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }

    /// Whether the next bytes will come as fast as they are played. Any thread.
    public var isLikelyToKeepUp: Bool { bridge.source.isLikelyToKeepUp(at: bytesPerSecond) }

    /// See ``MediaSource/lowerBitRate``. Any thread.
    public var lowerBitRate: Double? { bridge.source.lowerBitRate }

    /// See ``MediaSource/higherBitRate``. Any thread.
    public var higherBitRate: Double? { bridge.source.higherBitRate }

    /// Reads only the packets of these tracks.
    public func select(_ wanted: Set<Int>) {
        for track in tracks {
            unsafe format.pointee.streams[track.index]?.pointee.discard =
                wanted.contains(track.index) ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }

    /// Returns the next packet of a track that is selected; `nil` at the end. Packets of other
    /// tracks that come before it are kept for their readers.
    /// - Throws: `failed`; the source's own errors.
    public func read(of track: MediaTrack) throws -> MediaPacket? {
        hasRead = true
        if let packet = waiting.take(of: track.index) { return packet }
        while let packet = try readNext() {
            if packet.track == track.index { return packet }
            waiting.add(packet)
        }
        return nil
    }

    /// Decodes the cover of a piece of music; `nil` if there is none, or it is damaged.
    /// - Throws: The errors of ``PictureDecoder``.
    public func cover() throws(CodecError) -> (picture: DecodedPicture, track: MediaTrack)? {
        guard let track = coverTrack, let stream = unsafe format.pointee.streams[track.index],
            unsafe av_packet_ref(packet, &stream.pointee.attached_pic) >= 0,
            let packet = unsafe MediaPacket(packet, of: track, from: origin)
        else { return nil }
        let decoder = try PictureDecoder(track, of: self, threads: 1)
        decoder.send(packet)
        decoder.send(nil)
        return decoder.receive().map { ($0, track) }
    }

    /// Returns the next packet of a track if it was read while others were looked for.
    public func takeWaiting(of track: MediaTrack) -> MediaPacket? {
        waiting.take(of: track.index)
    }

    /// Returns the track whose first pictures have closed captions; `nil` if there is none. What is
    /// read for that is kept for its readers.
    public func findClosedCaptions() -> MediaTrack? {
        guard let track = tracks.first(where: { $0.kind == .video }),
            Self.captionedCodecs.contains(track.codec)
        else { return nil }
        var (pictures, packets) = (0, 0)
        while pictures < Self.captionedPictures, packets < Self.mostPackets,
            waiting.bytes < WaitingPackets.mostBytes / 4,
            // Whoever reads on is told of failures.
            let packet = (try? readNext()) ?? nil
        {
            waiting.add(packet)
            packets += 1
            guard packet.track == track.index else { continue }
            if packet.contains(Self.captionMark) { return track }
            pictures += 1
        }
        return nil
    }

    private static let captionedCodecs: Set = ["h264", "hevc", "mpeg2video"]
    /// The pictures in which captions are looked for, which have empty ones without a text, and the
    /// packets of all tracks among which they are.
    private static let captionedPictures = 8
    private static let mostPackets = 200
    /// The bytes before closed captions (ATSC A/53, part 4).
    private static let captionMark = [UInt8]("GA94".utf8) + [3]

    /// The fonts in the file.
    var fonts: [(name: String, bytes: [UInt8])] {
        let streams = unsafe 0..<Int(format.pointee.nb_streams)
        return streams.compactMap { number in
            guard let stream = unsafe format.pointee.streams[number],
                let parameters = unsafe stream.pointee.codecpar,
                unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_ATTACHMENT,
                unsafe Self.fontCodecs.contains(parameters.pointee.codec_id.rawValue),
                let start = unsafe parameters.pointee.extradata
            else { return nil }
            let bytes = unsafe UnsafeBufferPointer(
                start: start, count: Int(parameters.pointee.extradata_size))
            let name = unsafe Self.texts(stream.pointee.metadata)["filename"] ?? ""
            return unsafe (name, Array(bytes))
        }
    }

    private static let fontCodecs = [AV_CODEC_ID_TTF.rawValue, AV_CODEC_ID_OTF.rawValue]

    private func readNext() throws -> MediaPacket? {
        while true {
            reading.store(Clock.monotonic, ordering: .relaxed)
            let code = unsafe cffmpeg_read(format, packet)
            reading.store(0, ordering: .relaxed)
            guard code >= 0 else {
                if let failure = bridge.failure.take() { throw failure }
                if code == cffmpeg_end_of_file { return nil }
                throw CodecError(.failed, "\(name): \(FFmpegLibrary.reason(code))")
            }
            let index = unsafe Int(packet.pointee.stream_index)
            guard let track = tracks.first(where: { $0.index == index }) else {
                unsafe av_packet_unref(packet)
                continue
            }
            if track.kind != .subtitle,
                let offset = times?.offset(
                    of: index, decodedAt: unsafe track.time(packet.pointee.dts),
                    lasting: unsafe track.time(packet.pointee.duration))
            {
                unsafe move(packet, by: track.units(offset))
            }
            guard let packet = unsafe MediaPacket(packet, of: track, from: origin) else {
                throw CodecError(.exhausted, "no memory to read \(name)")
            }
            return packet
        }
    }

    private func move(_ packet: UnsafeMutablePointer<AVPacket>, by units: Int64) {
        if unsafe packet.pointee.pts != cffmpeg_no_time { unsafe packet.pointee.pts &+= units }
        if unsafe packet.pointee.dts != cffmpeg_no_time { unsafe packet.pointee.dts &+= units }
    }

    /// Goes to the last key frame of a track that is not after `time`, or else to the first. The
    /// next packet of the track is that key frame.
    /// - Returns: The key frame's time; minus infinity at the beginning. Pictures that come later
    ///   but are shown earlier may refer to others that were not read.
    /// - Throws: `failed`, also if the stream cannot go back; the source's own errors.
    public func seek(to time: MediaTime, of track: MediaTrack) throws -> MediaTime {
        // Some formats look for the decode time, and some find packets that are no key frames.
        var (goal, step) = (time, MediaTime(value: 1, timescale: 1))
        var isFirst = true
        while true {
            let isBeginning = goal <= .zero
            if !isBeginning {
                do {
                    try go(to: goal, of: track)
                } catch let error as CodecError where isSeekable && error.code == .failed {
                    // Some formats refuse places that lie a little before the end.
                    (goal, step) = (goal - step, step * 2)
                    continue
                }
            } else if hasRead {
                // The first decode time is a little before the beginning.
                try go(to: MediaTime(value: -1, timescale: 1), of: track)
            }
            let key = try readUntilKeyFrame(of: track)
            if isBeginning { return .negativeInfinity }
            if let key, key.time <= time { return key.time }
            if isFirst, let key, key.decodeTime.isNumeric {
                goal = min(goal, key.decodeTime) - MediaTime(value: 1, timescale: 1000)
                isFirst = false
            } else {
                goal = goal - step
                step = step * 2
            }
        }
    }

    /// Goes to the last key frame of a track that is not after `time`, also if the track is not
    /// selected. The next packets of the selected tracks are those from there on.
    /// - Throws: `failed`; the source's own errors.
    public func skip(to time: MediaTime, by track: MediaTrack) throws {
        hasRead = true
        try go(to: max(time, .zero), of: track)
    }

    private func go(to time: MediaTime, of track: MediaTrack) throws {
        waiting = WaitingPackets()
        if times != nil { times = ContinuousTimes() }
        var code = unsafe cffmpeg_seek(format, CInt(track.index), track.units(time + origin))
        if code < 0, time < .zero {
            code = unsafe cffmpeg_seek(format, CInt(track.index), track.units(origin))
        }
        guard code >= 0 else {
            if let failure = bridge.failure.take() { throw failure }
            throw CodecError(
                .failed, "\(name): cannot go to \(time.seconds) s: \(FFmpegLibrary.reason(code))")
        }
    }

    /// Reads up to the next key frame of a track, and keeps what it read, but for the track's
    /// earlier packets. Returns `nil` at the end.
    private func readUntilKeyFrame(of track: MediaTrack) throws -> MediaPacket? {
        while let packet = try read(of: track) {
            guard packet.isKeyFrame else { continue }
            waiting.putBack(packet)
            return packet
        }
        return nil
    }

    /// Calls `body` with the parameters of a track's codec.
    func withParameters<Result>(
        of track: MediaTrack, _ body: (UnsafePointer<AVCodecParameters>) -> Result
    ) -> Result? {
        guard let stream = unsafe format.pointee.streams[track.index],
            let parameters = unsafe stream.pointee.codecpar
        else { return nil }
        return unsafe body(UnsafePointer(parameters))
    }

    /// Returns a track's time as it counts from the file's beginning.
    func time(_ units: Int64, of track: MediaTrack) -> MediaTime { track.time(units) - origin }

    /// Returns the exact end of a track; `nil` if the file's index does not have it.
    func end(of track: MediaTrack) -> MediaTime? {
        guard let name = unsafe format.pointee.iformat?.pointee.name,
            unsafe String(cString: name).hasPrefix("mov"),
            let stream = unsafe format.pointee.streams[track.index],
            unsafe stream.pointee.duration > 0
        else { return nil }
        let start = unsafe stream.pointee.start_time
        let end =
            unsafe track.time(start == cffmpeg_no_time ? 0 : start)
            + track.time(stream.pointee.duration)
        return end - origin
    }

    static func texts(_ dictionary: OpaquePointer?) -> [String: String] {
        var texts: [String: String] = [:]
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let next = unsafe av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            unsafe texts[String(cString: next.pointee.key).lowercased()] =
                unsafe String(cString: next.pointee.value)
            unsafe entry = next
        }
        return texts
    }
}

/// The packets that nobody has wanted yet, in the order of each track.
private struct WaitingPackets {
    /// The most bytes that are kept: those of several seconds of the largest videos. A file whose
    /// tracks lie farther apart loses the oldest packets.
    static let mostBytes = 64 << 20

    private var packets: [MediaPacket] = []
    private(set) var bytes = 0

    mutating func add(_ packet: MediaPacket) {
        packets.append(packet)
        bytes += packet.bytes
        while bytes > Self.mostBytes, packets.count > 1 { bytes -= packets.removeFirst().bytes }
    }

    /// Makes a packet the next one of its track.
    mutating func putBack(_ packet: MediaPacket) {
        packets.insert(packet, at: 0)
        bytes += packet.bytes
    }

    mutating func take(of track: Int) -> MediaPacket? {
        guard let index = packets.firstIndex(where: { $0.track == track }) else { return nil }
        let packet = packets.remove(at: index)
        bytes -= packet.bytes
        return packet
    }
}

extension CodecError {
    fileprivate init(opening code: CInt, _ name: String) {
        let reason = FFmpegLibrary.reason(code)
        switch code {
        // The latter is a format that is not allowed.
        case cffmpeg_invalid_data, -EINVAL:
            self.init(.unsupported, "\(name) is no media file that can be played")
        case cffmpeg_end_of_file: self.init(.truncated, "\(name) is empty or cut off")
        default: self.init(.failed, "\(name): \(reason)")
        }
    }
}
