// SPDX-License-Identifier: GPL-3.0-or-later

package import Display
package import Media
internal import Synchronization

/// Covers a display without texts while the camera's picture is missing.
package final class SecondDisplay: DisplayContent {
    private let screen: Screen
    private let pictures: ScreenPictures
    private let state = Mutex(State())

    private struct State {
        var size: Dimensions?
        var hasVideo = false
    }

    package init(_ screen: Screen, pictures: ScreenPictures) {
        self.screen = screen
        self.pictures = pictures
    }

    package func displayAppeared(_ size: Dimensions) {
        state.withLock { $0.size = size }
        draw()
    }

    package func displayDisappeared() { state.withLock { $0.size = nil } }

    /// Shows the splash picture while the video is missing, because nobody should take the last
    /// frame for a live one.
    package func videoChanged(isShown: Bool) {
        let changes = state.withLock { state in
            defer { state.hasVideo = isShown }
            return state.hasVideo != isShown
        }
        if changes { draw() }
    }

    private func draw() {
        let (size, hasVideo) = state.withLock { ($0.size, $0.hasVideo) }
        guard let size else { return }
        screen.setOverlay(hasVideo ? nil : pictures.splashPicture(for: size))
    }
}
