// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
package import LinuxIO
package import Media
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
    /// Told how the view has ended.
    package var ended: @Sendable (PlayResult) -> Void = { _ in }

    /// Orders to play media once, from the beginning.
    package init(_ source: Source) { self.source = source }

    static func asset(_ id: String) -> ViewOrder { ViewOrder(.asset(id)) }
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

    package init(
        state: String, title: String, seconds: Double, duration: Double?, rate: Double, shown: Int,
        late: Int, soundProblem: String? = nil, subtitle: String? = nil,
        subtitleProblem: String? = nil
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
    }
}
