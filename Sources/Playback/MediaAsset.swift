// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Glibc
internal import LinuxIO
public import Media
internal import Synchronization

/// A media file (AVAsset's counterpart). Nothing is read before the first property is loaded; then
/// all come together, once for all callers.
public final class MediaAsset: Sendable {
    /// The absolute path of the file.
    public let path: String
    private let loading = Mutex<Task<Facts, any Error>?>(nil)

    /// The properties, as the file's beginning and index say.
    struct Facts: Sendable {
        let duration: MediaTime
        let tracks: [AssetTrack]
        let metadata: [String: String]
    }

    /// Creates an asset of a local file. Nothing is checked.
    public init(path: String) { self.path = path }

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
    public var status: Status { state.withLock { $0 } }

    /// The states of an asset's properties.
    public enum Status: Sendable {
        /// Nobody has asked for one.
        case unknown
        case loading
        case loaded
        case failed(PlaybackError)
    }
    private let state = Mutex(Status.unknown)

    func facts() async throws(PlaybackError) -> Facts {
        let task = loading.withLock { task in
            let running =
                task
                ?? Task {
                    try await Self.files.run { [self] in
                        try Facts(try MediaReader(opening: path))
                    }
                }
            if task == nil { state.withLock { $0 = .loading } }
            task = running
            return running
        }
        do {
            let facts = try await task.value
            state.withLock { $0 = .loaded }
            return facts
        } catch {
            let error = PlaybackError(path, error)
            state.withLock { $0 = .failed(error) }
            throw error
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

/// A track of an asset (AVAssetTrack's counterpart).
public struct AssetTrack: Sendable, Identifiable {
    /// The kinds of tracks (AVMediaType's counterpart).
    public enum MediaType: String, Sendable {
        case video, audio, subtitle
    }

    /// The track's number in the file.
    public let id: Int
    /// The kind.
    public let mediaType: MediaType
    /// FFmpeg's name of the codec, such as `h264`.
    public let codec: String
    /// The language as the file says it, such as `eng`; `nil` if it says none.
    public let languageCode: String?
    /// The name that the file gives the track; `nil` if none.
    public let title: String?
    /// Whether the file prefers the track.
    public let isDefault: Bool
    /// Whether texts are for everybody: they translate what is said in another language.
    public let isForced: Bool
    /// The size of the pictures as they are stored; zero for other kinds.
    public let naturalSize: Dimensions
    /// The size of the upright pictures with square pixels; zero for other kinds.
    public let presentationSize: Dimensions
    /// The turn and mirroring that make the pictures upright.
    public let preferredOrientation: ExifOrientation
    /// The usual number of pictures per second; `nil` if it is not known.
    public let nominalFrameRate: Double?

    init(_ track: MediaTrack) {
        id = track.index
        mediaType =
            switch track.kind {
            case .video: .video
            case .audio: .audio
            case .subtitle: .subtitle
            }
        codec = track.codec
        languageCode = track.language
        title = track.title
        isDefault = track.isDefault
        isForced = track.isForced
        naturalSize = track.dimensions
        presentationSize = track.presentationSize
        preferredOrientation = track.orientation
        nominalFrameRate = track.framesPerSecond
    }
}

extension MediaAsset.Facts {
    init(_ reader: MediaReader) throws(PlaybackError) {
        guard !reader.tracks.isEmpty else {
            throw PlaybackError(.unsupported, "\(reader.name) has no pictures and no sound")
        }
        duration = reader.duration
        tracks = reader.tracks.map(AssetTrack.init)
        metadata = reader.metadata
    }
}

extension MediaAsset.Property where Value == MediaTime {
    /// The length; indefinite if the file does not say, as for a live stream.
    public static var duration: Self { Self(value: \.duration) }
}

extension MediaAsset.Property where Value == [AssetTrack] {
    /// All tracks that can be played.
    public static var tracks: Self { Self(value: \.tracks) }
}

extension MediaAsset.Property where Value == [String: String] {
    /// The file's own metadata, such as `title`, `artist` and `creation_time`.
    public static var commonMetadata: Self { Self(value: \.metadata) }
}

extension MediaReader {
    /// Opens a local file, which must be a regular one.
    convenience init(opening path: String) throws {
        let file = try OwnedDescriptor(open: path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        guard try FileTree.entry(path)?.kind != .directory else {
            throw PlaybackError(.unsupported, "\(path) is a folder")
        }
        try self.init(file, name: path)
    }
}
