// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import Display
internal import LibraryService
internal import Media
internal import Network
internal import Playback
internal import Screens
internal import Settings
internal import Synchronization

/// Plays media on the second display, while the kiosk goes on with its own (AVPlayer's
/// `allowsExternalPlayback`): one at a time. Any thread.
package final class ExternalViewer: Sendable {
    private let library: LibrarySupervisor
    private let loader: ResourceLoader
    private let display: SecondDisplay
    private let settings: PlaybackSettings
    private let state = Mutex(State())

    private struct State {
        var present: (playback: OrderedPlayback, task: Task<Void, Never>)?
        var number = 0
    }

    init(
        _ display: SecondDisplay, _ library: LibrarySupervisor, _ loader: ResourceLoader,
        _ settings: PlaybackSettings
    ) {
        (self.display, self.library, self.loader) = (display, library, loader)
        self.settings = settings
    }

    /// Plays an order instead of the present one, and tells its end.
    /// - Throws: A ``CommandError`` if there is nothing to play, or no display.
    package func play(_ order: ViewOrder) async throws {
        guard display.size != nil else {
            throw CommandError(
                "display.missing", "the second display is not connected",
                next: "See: vitrine status", exit: .temporary)
        }
        let media = try await order.media(library, loader)
        let playback = try OrderedPlayback(
            media.asset, order, settings, title: media.title)
        try playback.show(
            on: display.screen.playback, display.screen.gravity, SecondSubtitles(display))
        stop()
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        let task = Task {
            let result: PlayResult
            do {
                try await playback.run { [display] hasPictures in
                    display.playbackChanged(isShown: hasPictures)
                }
                result = .finished
            } catch {
                result =
                    Task.isCancelled ? .stopped : .failed(CommandError(viewing: error))
            }
            end(number, playback)
            order.ended(Task.isCancelled ? .stopped : result)
        }
        state.withLock { $0.present = (playback, task) }
    }

    private func end(_ number: Int, _ playback: OrderedPlayback) {
        playback.leave()
        let isPresent = state.withLock { state in
            if state.number == number { state.present = nil }
            return state.number == number
        }
        if isPresent { display.playbackChanged(isShown: false) }
    }

    /// Ends what is played.
    package func stop() {
        guard let present = state.withLock({ $0.present.take() }) else { return }
        present.playback.leave()
        present.task.cancel()
        display.playbackChanged(isShown: false)
    }

    /// The player; `nil` if nothing is played.
    package var control: (any ViewControl)? { state.withLock { $0.present?.playback } }
}

extension OrderedPlayback: ViewControl {}
