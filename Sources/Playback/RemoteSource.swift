// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Network
internal import Synchronization

/// The connections that one reader of a network resource has open. Any thread.
final class RemoteSession: Sendable {
    private let loader: ResourceLoader
    private let stop: MediaStop
    private let state = Mutex(State())

    private struct State {
        /// The connection that was read from last.
        var connection: ResourceConnection?
        /// The bytes of those before it, and how long they took, in nanoseconds. Older ones count
        /// less.
        var (bytes, nanoseconds) = (0, Int64(0))

        mutating func change(to new: ResourceConnection) {
            if new === connection { return }
            let progress = connection?.progress ?? (bytes: 0, nanoseconds: 0)
            bytes = bytes / 2 + progress.bytes
            nanoseconds = nanoseconds / 2 + progress.nanoseconds
            connection = new
        }
    }

    init(_ loader: ResourceLoader, _ stop: MediaStop) { (self.loader, self.stop) = (loader, stop) }

    /// Asks for a resource, and waits for its properties.
    /// - Throws: A `ResourceFailure`; `CancellationError` if the reader is stopped.
    func open(
        _ url: String, from offset: Int64 = 0, validator: String? = nil, isPatient: Bool
    ) throws -> (ResourceConnection, ResourceHead) {
        let connection = try loader.open(
            url, from: offset, validator: validator, isPatient: isPatient, stop: stop.signal
        ) { [stop] in stop.isSet }
        guard let head = try connection.head() else { throw CancellationError() }
        return (connection, head)
    }

    func read(
        _ connection: ResourceConnection, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        state.withLock { $0.change(to: connection) }
        guard let count = try unsafe connection.read(into: buffer) else {
            throw CancellationError()
        }
        return count
    }

    /// The bytes of a stream whose rate is not known.
    private static let enough = 16 << 10

    func isLikelyToKeepUp(at bytesPerSecond: Double?) -> Bool {
        guard let ahead = state.withLock({ $0.connection })?.ahead, !ahead.isAll else {
            return true
        }
        let second = bytesPerSecond.map { Int($0) } ?? Self.enough
        return ahead.bytes >= min(second, ResourceConnection.mostAhead / 2)
    }

    /// How many bytes come per second, at least.
    var bytesPerSecond: Double {
        state.withLock { state in
            let progress = state.connection?.progress ?? (bytes: 0, nanoseconds: 0)
            let nanoseconds = max(state.nanoseconds + progress.nanoseconds, Self.leastMeasured)
            return Double(state.bytes + progress.bytes) / (Double(nanoseconds) / 1e9)
        }
    }

    /// Shorter times tell little.
    private static let leastMeasured: Int64 = 50_000_000
}

/// A resource of the network. Going to another place asks the server for the bytes from there on.
final class RemoteSource: MediaSource {
    let head: ResourceHead
    private let url: String
    private let session: RemoteSession

    private struct State {
        var connection: ResourceConnection?
        /// The number of the next byte of the connection, and of the next one that is wanted.
        var (received, position): (Int64, Int64)
    }
    private let state: Mutex<State>

    /// Opens a resource from an offset on.
    /// - Parameter isPatient: Whether a server that does not answer is asked again.
    init(
        _ url: String, from offset: Int64 = 0, isPatient: Bool = false, _ session: RemoteSession
    ) throws {
        let (connection, head) = try session.open(url, from: offset, isPatient: isPatient)
        (self.url, self.session, self.head) = (url, session, head)
        state = Mutex(State(connection: connection, received: offset, position: offset))
    }

    var isSeekable: Bool { head.isSeekable }
    var bytes: Int64? { head.bytes }

    /// So many bytes are read sooner than asked for anew.
    private static let nearby: Int64 = 256 << 10

    func seek(to offset: Int64) throws {
        state.withLock { state in
            state.position = offset
            let isNear = offset >= state.received && offset - state.received <= Self.nearby
            if !isNear { state.connection = nil }
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if let bytes, state.withLock({ $0.position }) >= bytes { return 0 }
        let connection = try connected()
        while true {
            let skipped = state.withLock { $0.position - $0.received }
            let isSkipping = skipped > 0
            let part =
                unsafe isSkipping
                ? UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: skipped)))
                : buffer
            let count = try unsafe session.read(connection, into: part)
            state.withLock { state in
                state.received += Int64(count)
                if !isSkipping { state.position += Int64(count) }
            }
            if count == 0 || !isSkipping { return count }
        }
    }

    private func connected() throws -> ResourceConnection {
        let (connection, position) = state.withLock { ($0.connection, $0.position) }
        if let connection { return connection }
        let (new, _) = try session.open(
            url, from: position, validator: head.validator, isPatient: true)
        state.withLock { ($0.connection, $0.received) = (new, position) }
        return new
    }

    func isLikelyToKeepUp(at bytesPerSecond: Double?) -> Bool {
        session.isLikelyToKeepUp(at: bytesPerSecond)
    }
}

extension RemoteSource {
    /// Longer playlists, and other texts, are not read.
    private static let longestText = 4 << 20

    /// Whether the resource is a playlist of HTTP Live Streaming.
    var isPlaylist: Bool {
        let types = ["application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl"]
        let path = head.url.prefix { $0 != "?" && $0 != "#" }
        return types.contains(head.type) || path.hasSuffix(".m3u8")
    }

    /// Reads everything that is left as the text of a playlist, with absolute URLs: its server may
    /// have led to another place.
    func playlist() throws -> String {
        PlaylistText.absolute(String(decoding: try contents(), as: UTF8.self), at: head.url)
    }

    /// Reads everything that is left of a text.
    func contents() throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= Self.longestText {
            let count = try unsafe buffer.withUnsafeMutableBytes { try unsafe read(into: $0) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        throw PlaybackError(
            .unsupported, "\(head.url) is longer than \(Self.longestText >> 20) MB")
    }
}

/// A playlist in memory, which opens resources of the network.
final class PlaylistSource: MediaSource {
    private let text: MemorySource
    private let session: RemoteSession
    /// The bits per second of smaller variants and of larger ones, the smallest first.
    private let lowerBitRates, higherBitRates: [Double]
    /// The subtitles that belong to the chosen variant.
    let subtitles: [SubtitleRendition]
    private let seen = Mutex(Seen())

    /// The properties of the media playlists that were opened.
    private struct Seen {
        /// Whether a recorded stream has times that jump, so that no place in it can be found.
        var hasJumps = false
        var keys: Set<String> = []
        /// The reason why a key could not be had.
        var keyFailure: (any Error)?

        mutating func add(_ playlist: MediaPlaylist) {
            hasJumps = hasJumps || playlist.isEnded && playlist.hasDiscontinuities
            keys = playlist.keys
        }
    }

    /// - Parameter limits: What the chosen variant may need.
    init(_ text: String, within limits: StreamLimits, _ session: RemoteSession) {
        self.session = session
        guard let master = MasterPlaylist(text) else {
            self.text = MemorySource(Array(text.utf8))
            (lowerBitRates, higherBitRates, subtitles) = ([], [], [])
            if let playlist = MediaPlaylist(text) { seen.withLock { $0.add(playlist) } }
            return
        }
        let variant = master.variant(within: limits)
        self.text = MemorySource(Array(master.text(with: variant).utf8))
        subtitles = master.subtitles(of: variant)
        var limits = limits
        limits.carriedBitRate = nil
        let others = master.orderedVariants
        lowerBitRates = others.filter { $0.bandwidth < variant.bandwidth }
            .map { Double($0.bandwidth) }
        higherBitRates = others.filter { $0.bandwidth > variant.bandwidth && limits.allow($0) }
            .map { Double($0.bandwidth) }
    }

    var isSeekable: Bool { seen.withLock { !$0.hasJumps } }
    var bytes: Int64? { text.bytes }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        unsafe text.read(into: buffer)
    }

    func seek(to offset: Int64) { text.seek(to: offset) }

    func open(_ url: String, from offset: Int64) throws -> any MediaSource {
        let (isKey, failure) = seen.withLock { ($0.keys.contains(url), $0.keyFailure) }
        if isKey {
            do {
                let source = try open(url, 0)
                seen.withLock { $0.keyFailure = nil }
                return source
            } catch {
                // libavformat goes on without the key.
                seen.withLock { $0.keyFailure = error }
                throw error
            }
        }
        if let failure { throw failure }
        let source = try open(url, offset)
        guard source.isPlaylist else { return source }
        let text = try source.playlist()
        if let playlist = MediaPlaylist(text) { seen.withLock { $0.add(playlist) } }
        return MemorySource(Array(text.utf8))
    }

    private func open(_ url: String, _ offset: Int64) throws -> RemoteSource {
        guard MediaAsset.isURL(url) else {
            throw PlaybackError(.unsupported, "\(url) is no URL of http or https")
        }
        return try RemoteSource(url, from: offset, isPatient: true, session)
    }

    func isLikelyToKeepUp(at bytesPerSecond: Double?) -> Bool {
        session.isLikelyToKeepUp(at: bytesPerSecond)
    }

    /// The share of the network's bytes that a stream may need.
    private static let share = 0.8

    private var affordableBitRate: Double { session.bytesPerSecond * 8 * Self.share }

    var lowerBitRate: Double? {
        guard isSeekable else { return nil }
        let affordable = affordableBitRate
        return lowerBitRates.last { $0 <= affordable } ?? lowerBitRates.first
    }

    var higherBitRate: Double? {
        guard isSeekable else { return nil }
        let affordable = affordableBitRate
        return higherBitRates.last { $0 <= affordable }
    }
}
