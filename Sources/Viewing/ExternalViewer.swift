// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import Display
internal import LibraryService
internal import Media
internal import Network
internal import Photography
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
        var present: Present?
        var number = 0
        var isClosed = false
    }

    private struct Present {
        let number: Int
        let playback: OrderedPlayback
        let task: Task<Void, Never>

        func end() {
            playback.leave()
            task.cancel()
        }
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
        let former = try state.withLock { state in
            if state.isClosed { throw CommandError.stopping }
            state.number += 1
            let number = state.number
            let task = Task { order.ended(await run(playback, number)) }
            defer { state.present = Present(number: number, playback: playback, task: task) }
            return state.present
        }
        former?.end()
        display.playbackChanged(isActive: true)
    }

    private func run(_ playback: OrderedPlayback, _ number: Int) async -> PlayResult {
        var result = PlayResult.finished
        do {
            try await playback.run { [display] in display.playbackChanged(isShown: $0) }
        } catch {
            result = .failed(CommandError(viewing: error))
        }
        playback.leave()
        let isPresent = state.withLock { state in
            defer { if state.present?.number == number { state.present = nil } }
            return state.present?.number == number
        }
        if isPresent { display.playbackChanged(isActive: false) }
        return Task.isCancelled ? .stopped : result
    }

    /// Ends what is played.
    package func stop() {
        guard let present = state.withLock({ $0.present.take() }) else { return }
        present.end()
        display.playbackChanged(isActive: false)
    }

    /// Ends what is played, and plays nothing more.
    package func close() {
        state.withLock { $0.isClosed = true }
        stop()
    }

    /// The player; `nil` if nothing is played.
    package var control: (any ViewControl)? { state.withLock { $0.present?.playback } }
}

extension OrderedPlayback: ViewControl {}
