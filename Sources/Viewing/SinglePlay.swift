// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
internal import Devices
internal import Display
internal import LinuxIO
internal import Media
package import Network
internal import Playback
public import Settings

/// Plays media where no appliance runs: takes the display, plays to the end, and leaves everything
/// as it was. ``Viewer`` plays on the appliance's display.
public struct SinglePlay: Sendable {
    private let board: Board
    private var settings: PlaybackSettings { board.settings.playback }

    /// Opens nothing yet.
    public init(_ settings: Settings) { board = Board(settings: settings) }

    /// Plays a file or a URL to its end, or until the task is cancelled.
    /// - Parameters:
    ///   - loader: Opens URLs.
    ///   - progress: Told the state about twice a second.
    /// - Returns: The state at the end.
    /// - Throws: A ``CommandError``; 75 without a display.
    package func play(
        _ order: ViewOrder, loader: ResourceLoader,
        progress: @escaping @Sendable (PlayStatus) -> Void
    ) async throws -> PlayStatus {
        let (asset, title) = try await order.media(loader) { _ in
            throw CommandError(
                "appliance.notRunning", "an asset is played by the running appliance",
                next: "Start it: sudo systemctl start vitrine", exit: .unavailable)
        }
        let screen = try open(order.display)
        do {
            try await Self.waitForDisplay(screen)
            let status = try await play(asset, title: title, order, on: screen, progress)
            await screen.close()
            return status
        } catch {
            await screen.close()
            throw CommandError(viewing: error)
        }
    }

    private func open(_ display: ViewOrder.Display) throws -> Screen {
        if display == .first {
            return try Screen(gravity: board.gravity, open: board.openDisplay)
        }
        guard let screen = try board.makeSecondScreen() else { throw CommandError.noSecondDisplay }
        return screen
    }

    private static func waitForDisplay(_ screen: Screen) async throws {
        for await event in screen.events {
            switch event {
            case .ready: return
            case .lost(let error):
                throw CommandError(
                    "display.missing", "nothing to play on: \(error)",
                    next: "See: vitrine devices, and [display] of the configuration",
                    exit: .temporary)
            default: break
            }
        }
    }

    private func play(
        _ asset: MediaAsset, title: String, _ order: ViewOrder, on screen: Screen,
        _ progress: @escaping @Sendable (PlayStatus) -> Void
    ) async throws -> PlayStatus {
        let playback = try OrderedPlayback(asset, order, settings, title: title)
        try playback.show(on: screen.playback, screen.gravity, ScreenSubtitles(screen))
        let telling = Task {
            while !Task.isCancelled {
                progress(playback.status)
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
        defer { telling.cancel() }
        defer { playback.leave() }
        try await playback.run()
        return playback.status
    }
}
