// SPDX-License-Identifier: GPL-3.0-or-later

internal import Display
internal import Imaging
internal import Media
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

extension OverlayPicture {
    /// Copies a picture to its place on an empty screen.
    fileprivate static func showing(_ placed: PlacedPicture) throws -> OverlayPicture {
        var whole = try PixelStorage(.argb, placed.screen, color: .jpeg)
        let place = placed.place
        return unsafe whole.withMutablePixels { target in
            unsafe placed.picture.withPixels { source in
                for row in 0..<place.height {
                    let start =
                        unsafe target.plane(0) + (place.y + row) * target.bytesPerRow(0)
                        + 4 * place.x
                    unsafe UnsafeMutableRawPointer(start).copyMemory(
                        from: source.plane(0) + row * source.bytesPerRow(0),
                        byteCount: 4 * place.width)
                }
            }
            return unsafe OverlayPicture(copying: target)
        }
    }
}
