// SPDX-License-Identifier: GPL-3.0-or-later

package import Display
package import Imaging
package import Media
internal import Synchronization

/// Covers a display without texts while the camera's picture is missing and nothing is played.
package final class SecondDisplay: DisplayContent {
    package let screen: Screen
    private let pictures: ScreenPictures
    private let state = Mutex(State())

    private struct State {
        var size: Dimensions?
        var hasVideo = false
        /// Whether something is played, and whether its pictures are there.
        var isPlaying = false
        var hasPlayback = false
        /// Whether the kiosk wants the display on.
        var isAwake = true
        /// The texts over what is played.
        var subtitles: PlacedPicture?
    }

    package init(_ screen: Screen, pictures: ScreenPictures) {
        self.screen = screen
        self.pictures = pictures
    }

    /// The pixels; `nil` without a display.
    package var size: Dimensions? { state.withLock { $0.size } }

    package func displayAppeared(_ size: Dimensions) {
        state.withLock { $0.size = size }
        draw()
    }

    package func displayDisappeared() { state.withLock { $0.size = nil } }

    /// Shows the splash picture while the video is missing, because nobody should take the last
    /// frame for a live one.
    package func videoChanged(isShown: Bool) { change(\.hasVideo, isShown) }

    /// The pictures of what is played have appeared. Any thread.
    package func playbackChanged(isShown: Bool) { change(\.hasPlayback, isShown) }

    /// Something is played now, which keeps the display on, or nothing any more. Any thread.
    package func playbackChanged(isActive: Bool) {
        if !isActive { playbackChanged(isShown: false) }
        state.withLock { state in
            state.isPlaying = isActive
            screen.setActive(state.isAwake || isActive)
        }
    }

    /// The kiosk goes to sleep or wakes up. Any thread.
    package func setAwake(_ isAwake: Bool) {
        state.withLock { state in
            state.isAwake = isAwake
            screen.setActive(isAwake || state.isPlaying)
        }
    }

    private func change(_ part: WritableKeyPath<State, Bool>, _ isShown: Bool) {
        let changes = state.withLock { state in
            defer { state[keyPath: part] = isShown }
            return state[keyPath: part] != isShown
        }
        if changes { draw() }
    }

    /// Shows the texts over what is played; `nil` for none. Any thread.
    package func show(subtitles: PlacedPicture?) {
        state.withLock { $0.subtitles = subtitles }
        draw()
    }

    private func draw() {
        // The newest overlay is set last.
        state.withLock { state in
            guard let size = state.size else { return }
            if state.hasPlayback {
                screen.setOverlay(state.subtitles.flatMap { try? .showing($0) })
            } else {
                screen.setOverlay(state.hasVideo ? nil : pictures.splashPicture(for: size))
            }
        }
    }
}

extension OverlayPicture {
    /// Copies a picture to its place on an empty screen.
    /// - Throws: ``ImagingError`` without memory.
    package static func showing(_ placed: PlacedPicture) throws -> OverlayPicture {
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
