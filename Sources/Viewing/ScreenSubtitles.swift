// SPDX-License-Identifier: GPL-3.0-or-later

internal import Display
internal import Imaging
internal import Playback
internal import Screens

/// Shows subtitles among the kiosk's texts.
final class KioskSubtitles: SubtitleTarget {
    private let presenter: OverlayPresenter

    init(_ presenter: OverlayPresenter) { self.presenter = presenter }

    func show(_ subtitles: PlacedPicture?) {
        presenter.show(subtitles: subtitles, of: ObjectIdentifier(self))
    }
}

/// Shows subtitles on a screen that nobody else draws on.
final class ScreenSubtitles: SubtitleTarget {
    private let screen: Screen

    init(_ screen: Screen) { self.screen = screen }

    func show(_ subtitles: PlacedPicture?) {
        screen.setOverlay(subtitles.flatMap { try? .showing($0) })
    }
}

/// Shows subtitles on the second display of the kiosk.
final class SecondSubtitles: SubtitleTarget {
    private let display: SecondDisplay

    init(_ display: SecondDisplay) { self.display = display }

    func show(_ subtitles: PlacedPicture?) { display.show(subtitles: subtitles) }
}
