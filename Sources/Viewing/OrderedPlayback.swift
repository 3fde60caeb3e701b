// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO
internal import Media
internal import Playback
internal import Settings
internal import Synchronization

/// A player that carries out one order, with the configured sound. Any thread.
final class OrderedPlayback: Sendable {
    let asset: MediaAsset
    private let order: ViewOrder
    private let player: QueuePlayer
    private let item: PlayerItem
    private let state: Mutex<State>

    private struct State {
        var title: String
        var looper: PlayerLooper?
        var isReady = false
        var soundProblem, subtitleProblem: String?
    }

    /// Plays nothing before ``run()``.
    init(
        _ asset: MediaAsset, _ order: ViewOrder, _ settings: PlaybackSettings, title: String
    ) throws(SystemCallError) {
        self.asset = asset
        self.order = order
        state = Mutex(State(title: title))
        player = try QueuePlayer(items: [], sound: ALSAOutput.opener(settings.sound))
        player.volume = Double(settings.volumePercent) / 100
        let range = MediaTimeRange(start: order.start, duration: .positiveInfinity)
        item = PlayerItem(asset, playing: range)
        item.preferredLanguages = settings.languages.split(separator: " ").map(String.init)
        item.allowsHardwareDecoding = settings.decoder == .auto
        if let wanted = order.subtitle { choose(subtitle: wanted, for: item) }
    }

    private func choose(subtitle: String, for item: PlayerItem) {
        if subtitle == "none" { return item.select(nil, in: .legible) }
        item.select(matching: subtitle, in: .legible)
    }

    /// Shows the pictures and the subtitles there.
    func show(
        on target: any PreviewTarget, _ gravity: Gravity, _ subtitles: any SubtitleTarget
    ) throws(SystemCallError) {
        player.layer = try PlayerLayer(target: target, gravity: gravity, subtitles: subtitles)
        item.preferredMaximumResolution = target.dimensions
    }

    /// Plays to the end, or until the task is cancelled.
    /// - Parameter ready: Told once the first picture or sound is decoded, with whether there are
    ///   pictures.
    /// - Throws: ``PlaybackError`` if the media cannot be played, or not to their end.
    func run(_ ready: (_ hasPictures: Bool) -> Void = { _ in }) async throws {
        let events = player.events()
        player.rate = order.rate
        if order.loops {
            let looper = PlayerLooper(player, template: item)
            state.withLock { $0.looper = looper }
        } else {
            player.insert(item)
        }
        for await event in events {
            switch event {
            case .readyToPlay:
                let title = try? await asset.load(.commonMetadata)["title"]
                state.withLock { state in
                    state.isReady = true
                    if let title, !title.isEmpty { state.title = title }
                }
                ready(hasPictures)
            case .failed(_, let error): throw error
            case .soundFailed(let reason): state.withLock { $0.soundProblem = reason }
            case .subtitlesFailed(_, let error):
                state.withLock { $0.subtitleProblem = error.message }
            case .didPlayToEnd where !order.loops: return
            default: break
            }
        }
    }

    /// Whether the first picture or sound is decoded.
    var isReady: Bool { state.withLock { $0.isReady } }

    /// Whether there are pictures to see.
    var hasPictures: Bool { player.currentItem?.presentationSize != nil }

    func pause() { player.pause() }

    func resume() { player.rate = order.rate }

    func seek(to time: MediaTime) async -> Bool { await player.seek(to: time) }

    func select(subtitle: String) async throws(PlaybackError) {
        if subtitle != "none" {
            let groups = try await asset.load(.mediaSelectionGroups)
            _ = try groups.option(matching: subtitle, in: .legible, of: asset.name)
        }
        state.withLock { $0.subtitleProblem = nil }
        // A loop plays copies.
        for item in [item] + player.items { choose(subtitle: subtitle, for: item) }
    }

    /// Leaves the display at once.
    func leave() {
        player.pause()
        player.layer = nil
        state.withLock { $0.looper = nil }
    }

    var status: PlayStatus {
        let state = state.withLock { $0 }
        let item = player.currentItem
        let (time, duration) = (player.currentTime, item?.duration ?? .indefinite)
        // A pause counts from its command on.
        let isPlaying = player.timeControlStatus == .playing
        let word = player.rate == 0 ? "paused" : isPlaying ? "playing" : "waiting"
        return PlayStatus(
            state: word, title: state.title, seconds: time.isNumeric ? max(time.seconds, 0) : 0,
            duration: duration.isNumeric ? duration.seconds : nil, rate: player.rate,
            shown: player.statistics.picturesShown,
            late: player.statistics.picturesLate + player.statistics.picturesUnshown,
            soundProblem: state.soundProblem, subtitle: item?.subtitle?.id,
            subtitleProblem: state.subtitleProblem, decoder: item?.decoder,
            decoderProblem: item?.decoderProblem)
    }
}
