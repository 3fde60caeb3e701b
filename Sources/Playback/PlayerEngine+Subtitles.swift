// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO
internal import Media

/// The subtitles of a player, which are drawn elsewhere.
extension PlayerEngine {
    /// The subtitles that are shown.
    struct Subtitles {
        var timeline: SubtitleTimeline?
        var scene = SubtitleTimeline.Scene()
        /// When an animated scene was drawn last.
        var drawn: Int64 = 0
    }

    /// How often what moves is drawn, in nanoseconds.
    private static let animationInterval: Int64 = 100_000_000

    /// Shows the subtitles of the present time.
    func followSubtitles() {
        if let current, let failure = current.takeSubtitleFailure() {
            shared.tell(.subtitlesFailed(current.item, failure))
        }
        guard let presenter = subtitlePresenter else { return }
        guard let current, let timeline = current.subtitles else {
            if subtitles.timeline != nil {
                subtitles = Subtitles()
                presenter.show(nil)
            }
            return
        }
        let now = Clock.monotonic
        let time = clock.timebase.time(at: phase == .running ? now + lead : now)
        let shown = subtitles.scene
        let isSame =
            subtitles.timeline === timeline && shown.revision == timeline.revision
            && shown.from <= time && time < shown.until
        let isDue =
            shown.isAnimated && phase == .running
            && now - subtitles.drawn >= Self.animationInterval
        if isSame, !isDue { return }
        let scene = isSame ? shown : timeline.scene(at: time)
        let mustDraw =
            isDue || subtitles.timeline !== timeline
            || !scene.events.elementsEqual(shown.events) { $0.isSame(as: $1) }
        (subtitles.timeline, subtitles.scene) = (timeline, scene)
        guard mustDraw else { return }
        subtitles.drawn = now
        presenter.show(
            SubtitlePresenter.Order(
                timeline: timeline, events: scene.events, time: time,
                presentationSize: current.item.presentationSize))
    }

    /// Returns when the subtitles change by themselves; `nil` for never.
    func nextSubtitleInstant() -> Int64? {
        guard subtitlePresenter != nil, subtitles.timeline != nil, clock.rate > 0 else {
            return nil
        }
        let scene = subtitles.scene
        if scene.isAnimated { return subtitles.drawn + Self.animationInterval }
        return clock.timebase.host(reaching: scene.until).map { $0 - lead }
    }
}
