// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
internal import Kiosk
internal import Library
internal import LibraryService
internal import Media
internal import Network
internal import Playback
internal import Synchronization

/// A view of one clip, piece of music or other media, played to its end.
final class MediaView: View, PlaybackView {
    private let id: ViewIdentifier
    private let order: ViewOrder
    private let parts: Viewer.Parts
    private let state: Mutex<State>

    private struct State {
        var task: Task<Void, Never>?
        var playing: PlayedMedia?
        var title: String
        var isEnded = false
        /// Whether the order's owner knows the end.
        var isSettled = false
    }

    init(_ id: ViewIdentifier, _ order: ViewOrder, _ parts: Viewer.Parts, title: String = "") {
        (self.id, self.order, self.parts) = (id, order, parts)
        state = Mutex(State(title: title))
    }

    // MARK: View

    func begin() {
        let task = Task { await run() }
        state.withLock { $0.task = task }
    }

    func turn(by step: Int) {}

    func end() {
        let (task, playing) = state.withLock { state in
            state.isEnded = true
            return (state.task, state.playing.take())
        }
        playing?.leave()
        task?.cancel()
        settle(.stopped)
    }

    private func settle(_ result: PlayResult) {
        let isFirst = state.withLock { state in
            defer { state.isSettled = true }
            return !state.isSettled
        }
        if isFirst { order.ended(result) }
    }

    private func run() async {
        do {
            let playing = try await open()
            let goesOn = state.withLock { state in
                if !state.isEnded { state.playing = playing }
                return !state.isEnded
            }
            guard goesOn else { return playing.leave() }
            try await playing.run { face in
                await self.parts.report(.viewShows(self.id, face))
            }
            settle(.finished)
            await parts.report(.viewEnded(id, .over))
        } catch {
            if Task.isCancelled { return }
            let failure = CommandError(viewing: error)
            settle(.failed(failure))
            await parts.report(.viewEnded(id, .failed(reason: failure.message)))
        }
    }

    private func open() async throws -> PlayedMedia {
        let (asset, title) = try await order.media(parts.library, parts.loader)
        return try PlayedMedia(asset, order, parts, title: title)
    }

    // MARK: PlaybackView

    var playback: OrderedPlayback? { state.withLock { $0.playing }?.playback }

    var idleStatus: PlayStatus {
        PlayStatus(
            state: "waiting", title: state.withLock { $0.title }, seconds: 0, duration: nil,
            rate: order.rate, shown: 0, late: 0)
    }
}

extension CommandError {
    /// The configuration has one display.
    package static let noSecondDisplay = CommandError(
        "display.none", "the configuration has no second display",
        next: "Set connector in [second_display].", exit: .usage)

    package init(viewing error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as LibraryError: self.init(error)
        case let error as PlaybackError:
            let exit: ExitStatus =
                switch error.code {
                case .notFound: .noInput
                case .permission: .notPermitted
                case .missing: .unavailable
                case .unreachable: .temporary
                default: .io
                }
            self.init(
                "play.\(error.code.rawValue)", error.message,
                next: error.next ?? "See: vitrine doctor", exit: exit)
        default: self.init("play.failed", "\(error)", exit: .software)
        }
    }
}
