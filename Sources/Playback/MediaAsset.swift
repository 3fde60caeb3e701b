// SPDX-License-Identifier: GPL-3.0-or-later

public import Codecs
internal import FoundationEssentials
internal import Glibc
public import LinuxIO
public import Media
public import Network
internal import Synchronization

/// A media file or stream (AVAsset's counterpart). Nothing is read before the first property is
/// loaded; then all come together, once for all callers.
public final class MediaAsset: Sendable {
    /// The path of the file, its URL, or the name of what was opened before.
    public let name: String
    private let place: Place
    /// The files of subtitles that belong to it.
    private let subtitles: [SubtitleFile]
    private let loading = Mutex(Loading.unknown)
    /// The subtitles that a stream's playlist has named last.
    private let renditions = Mutex<[SubtitleRendition]>([])

    /// The properties, as the file's beginning and index say.
    struct Facts: Sendable {
        let duration: MediaTime
        let tracks: [MediaTrack]
        let metadata: [String: String]
        /// The track whose pictures have closed captions.
        let captionedTrack: Int?
        let subtitles: [SubtitleFile]
        let renditions: [SubtitleRendition]
    }

    private enum Place: Sendable {
        case path
        case passed(PassedFile)
        case url(ResourceLoader)
    }

    /// Creates an asset of a local file. Nothing is checked.
    /// - Parameter subtitles: Its files of subtitles; see ``SubtitleFile/paths(beside:)``.
    public init(path: String, subtitles: [SubtitleFile] = []) {
        (name, place, self.subtitles) = (path, .path, subtitles)
    }

    /// Creates an asset of a file that somebody else has opened.
    /// - Parameters:
    ///   - name: The file's name, whose ending may tell the format.
    ///   - subtitles: Its files of subtitles.
    public init(_ file: PassedFile, name: String, subtitles: [SubtitleFile] = []) {
        (self.name, place, self.subtitles) = (name, .passed(file), subtitles)
    }

    /// Creates an asset of a file or a stream of the network, which may be a playlist of HTTP Live
    /// Streaming. Nothing is opened.
    public init(url: String, loader: ResourceLoader, subtitles: [SubtitleFile] = []) {
        (name, place, self.subtitles) = (url, .url(loader), subtitles)
    }

    /// Whether a text is a URL that can be played, and not a path.
    public static func isURL(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// Returns the last part of a URL's path, or else its host.
    public static func title(ofURL url: String) -> String {
        guard let parts = URLComponents(string: url) else { return "" }
        return parts.path.split(separator: "/").last.map { String($0) } ?? parts.host ?? ""
    }

    /// Whether it comes from the network.
    public var isRemote: Bool {
        if case .url = place { true } else { false }
    }

    /// Opens the media. They may be opened several times.
    /// - Parameters:
    ///   - limits: What a stream with several variants may need.
    ///   - stop: Ends the opening, and later the reading.
    ///   - origin: The time from which another variant counts; `nil` for its own beginning.
    func open(
        within limits: StreamLimits = StreamLimits(), stop: MediaStop, origin: MediaTime? = nil
    ) throws -> MediaReader {
        switch place {
        case .passed(let file):
            return try MediaReader(try file.duplicate(), name: name, stop: stop)
        case .path:
            let file = try OwnedDescriptor(open: name, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
            guard try FileTree.entry(name)?.kind != .directory else {
                throw PlaybackError(.unsupported, "\(name) is a folder")
            }
            return try MediaReader(file, name: name, stop: stop)
        case .url(let loader):
            let session = RemoteSession(loader, stop)
            // Another attempt is worth it for a stream that was played already.
            let source = try RemoteSource(name, isPatient: origin != nil, session)
            guard source.isPlaylist else {
                let path = name.prefix { $0 != "?" && $0 != "#" }
                return try MediaReader(source, name: String(path), stop: stop)
            }
            let playlist = PlaylistSource(try source.playlist(), within: limits, session)
            renditions.withLock { $0 = playlist.subtitles }
            return try MediaReader(
                playlist, name: name, as: MediaReader.playlistFormat, stop: stop, origin: origin)
        }
    }

    /// A property that ``load(_:)`` returns.
    public struct Property<Value: Sendable>: Sendable {
        let value: @Sendable (Facts) -> Value
    }

    /// Returns a property, after the file is opened.
    /// - Throws: ``PlaybackError``: always the same one.
    public func load<Value>(_ property: Property<Value>) async throws(PlaybackError) -> Value {
        property.value(try await facts())
    }

    /// Whether properties are loaded, and why they cannot be.
    public var status: Status {
        loading.withLock { loading in
            switch loading {
            case .unknown: .unknown
            case .loading: .loading
            case .loaded: .loaded
            case .failed(let error): .failed(error)
            }
        }
    }

    /// The states of an asset's properties.
    public enum Status: Sendable {
        /// Nobody has asked for one.
        case unknown
        case loading
        case loaded
        case failed(PlaybackError)
    }

    private enum Loading: Sendable {
        case unknown
        case loading(Task<Facts, any Error>)
        case loaded(Facts)
        case failed(PlaybackError)
    }

    func facts() async throws(PlaybackError) -> Facts {
        let task = loading.withLock { begin(&$0) }
        do {
            let facts = try await task.value
            end(.loaded(facts))
            return facts
        } catch {
            let error = PlaybackError(name, error)
            end(.failed(error))
            throw error
        }
    }

    private func begin(_ loading: inout Loading) -> Task<Facts, any Error> {
        switch loading {
        case .unknown:
            let task = Task {
                try await Self.files.run { [self] in try facts(try open(stop: try MediaStop())) }
            }
            loading = .loading(task)
            return task
        case .loading(let task): return task
        case .loaded(let facts): return Task { facts }
        case .failed(let error): return Task { throw error }
        }
    }

    /// Returns what an opened reader knows.
    func facts(_ reader: MediaReader) throws -> Facts {
        try Facts(reader, subtitles, renditions.withLock { $0 })
    }

    /// Begins to load the subtitles of a stream; see ``SubtitleStream``.
    func open(
        _ rendition: SubtitleRendition, of reader: MediaReader,
        loaded: @escaping @Sendable ((any Error)?) -> Void
    ) throws -> SubtitleStream {
        guard case .url(let loader) = place else {
            throw PlaybackError(.unsupported, "\(name) names other files")
        }
        return try SubtitleStream(rendition, loader, origin: reader.origin, loaded: loaded)
    }

    /// Takes properties over that a player has read.
    func adopt(_ facts: Facts) { end(.loaded(facts)) }

    private func end(_ outcome: Loading) {
        loading.withLock { loading in
            if case .loaded = loading { return }
            loading = outcome
        }
    }

    /// Opens files, whose medium may be slow.
    private static let files = FileActor()
}

/// The thread on which the beginnings of files are read.
private actor FileActor {
    private let executor = ThreadExecutor("media-files")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    func run<Value: Sendable>(_ body: @Sendable () throws -> Value) throws -> Value { try body() }
}

extension MediaAsset.Facts {
    fileprivate init(
        _ reader: MediaReader, _ subtitles: [SubtitleFile], _ renditions: [SubtitleRendition]
    ) throws(PlaybackError) {
        guard !reader.tracks.isEmpty else {
            throw PlaybackError(.unsupported, "\(reader.name) has no pictures and no sound")
        }
        duration = reader.duration
        tracks = reader.tracks
        metadata = reader.metadata
        captionedTrack = reader.findClosedCaptions()?.index
        (self.subtitles, self.renditions) = (subtitles, renditions)
    }
}

extension MediaAsset.Property where Value == MediaTime {
    /// The length; indefinite if the file does not say, as for a live stream.
    public static var duration: Self { Self(value: \.duration) }
}

extension MediaAsset.Property where Value == [MediaTrack] {
    /// All tracks that can be played.
    public static var tracks: Self { Self(value: \.tracks) }
}

extension MediaAsset.Property where Value == [String: String] {
    /// The file's own metadata, such as `title`, `artist` and `creation_time`.
    public static var commonMetadata: Self { Self(value: \.metadata) }
}
