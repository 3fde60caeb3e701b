// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
internal import Library
internal import LibraryService
package import LinuxIO
package import Media
internal import Network
package import Playback

/// Media that somebody wants to see.
package struct ViewOrder: Sendable {
    /// The place of the media.
    package enum Source: Sendable {
        /// An asset of the library, by its identifier.
        case asset(String)
        /// A file that a client has opened, and its name.
        case file(PassedFile, name: String)
        /// A URL of `http` or `https`.
        case url(String)
    }

    /// The displays of a kiosk.
    package enum Display: String, Sendable, CaseIterable {
        /// That of the kiosk, which guests look at.
        case first
        /// The one without texts, while the kiosk goes on.
        case second
    }

    /// The place of the media.
    package var source: Source
    /// The time at which it begins.
    package var start = MediaTime.zero
    /// The seconds of the media per second; see ``Player/rate``.
    package var rate = 1.0
    /// Whether it is played again and again.
    package var loops = false
    /// The files of subtitles that belong to the media.
    package var subtitles: [SubtitleFile] = []
    /// The id, language or title of the subtitles, or `none`; `nil` for those that suit the
    /// configured languages.
    package var subtitle: String?
    /// The display that shows them.
    package var display = Display.first
    /// Told how the view has ended.
    package var ended: @Sendable (PlayResult) -> Void = { _ in }

    /// Orders to play media once, from the beginning.
    package init(_ source: Source) { self.source = source }

    static func asset(_ id: String) -> ViewOrder { ViewOrder(.asset(id)) }

    /// The media to play, and what they are called.
    typealias Media = (asset: MediaAsset, title: String)

    /// Returns the media.
    /// - Parameter asset: Finds an asset of the library by its identifier.
    func media(
        _ loader: ResourceLoader, asset: (String) async throws -> Media
    ) async throws -> Media {
        switch source {
        case .asset(let id): try await asset(id)
        case .file(let file, let name):
            (MediaAsset(file, name: name, subtitles: subtitles), name)
        case .url(let url):
            (
                MediaAsset(url: url, loader: loader, subtitles: subtitles),
                MediaAsset.title(ofURL: url)
            )
        }
    }

    /// Returns the media.
    /// - Throws: `LibraryError` if there is no such asset.
    func media(_ library: LibrarySupervisor, _ loader: ResourceLoader) async throws -> Media {
        try await media(loader) { id in
            let resource = try await library.opened().resource(id: id)
            let asset = MediaAsset(path: resource.path, subtitles: subtitles)
            return (asset, resource.asset.caption ?? resource.asset.fileName)
        }
    }
}

/// The end of an order.
package enum PlayResult: Sendable {
    /// It was played to its end.
    case finished
    /// Somebody has ended it.
    case stopped
    /// It cannot be played: why, and whether that is the media's fault.
    case failed(CommandError)
}

/// Controls what is played. Any thread.
package protocol ViewControl: Sendable {
    /// The state of the player.
    var status: PlayStatus { get }
    func pause()
    func resume()
    /// Goes to a time; returns `false` if something else came first.
    func seek(to time: MediaTime) async -> Bool
    /// Shows other subtitles: an id, language or title, or `none`.
    /// - Throws: ``PlaybackError`` if there are none such.
    func select(subtitle: String) async throws(PlaybackError)
}

/// A view with one player at a time.
protocol PlaybackView: ViewControl {
    /// The present player; `nil` while none is open.
    var playback: OrderedPlayback? { get }
    /// The state without a player.
    var idleStatus: PlayStatus { get }
}

extension PlaybackView {
    package var status: PlayStatus { playback?.status ?? idleStatus }

    package func pause() { playback?.pause() }

    package func resume() { playback?.resume() }

    package func seek(to time: MediaTime) async -> Bool { await playback?.seek(to: time) ?? false }

    package func select(subtitle: String) async throws(PlaybackError) {
        guard let playback else {
            throw PlaybackError(.unsupported, "nothing with subtitles is played")
        }
        try await playback.select(subtitle: subtitle)
    }
}

/// What is played, as `play status` shows it.
package struct PlayStatus: Codable, Sendable, Equatable {
    /// `paused`, `waiting` for data, or `playing`.
    package var state: String
    /// The title; may be empty.
    package var title: String
    /// The time in seconds.
    package var seconds: Double
    /// The length in seconds; `nil` if it is unknown or has no end.
    package var duration: Double?
    /// Seconds of the media per second.
    package var rate: Double
    /// Pictures that were shown, and those that came too late.
    package var shown: Int
    package var late: Int
    /// The sound device's reason; `nil` while it works or none is used.
    package var soundProblem: String?
    /// The id of the subtitles that are shown; `nil` for none.
    package var subtitle: String?
    /// Why the chosen subtitles are not shown; `nil` if they are.
    package var subtitleProblem: String?
    /// The name of the pictures' decoder; `nil` without pictures.
    package var decoder: String?
    /// Why a device has given up decoding, so that the processor does it; `nil` if none has.
    package var decoderProblem: String?

    package init(
        state: String, title: String, seconds: Double, duration: Double?, rate: Double, shown: Int,
        late: Int, soundProblem: String? = nil, subtitle: String? = nil,
        subtitleProblem: String? = nil, decoder: String? = nil, decoderProblem: String? = nil
    ) {
        self.state = state
        self.title = title
        self.seconds = seconds
        self.duration = duration
        self.rate = rate
        self.shown = shown
        self.late = late
        self.soundProblem = soundProblem
        self.subtitle = subtitle
        self.subtitleProblem = subtitleProblem
        self.decoder = decoder
        self.decoderProblem = decoderProblem
    }
}
