// SPDX-License-Identifier: GPL-3.0-or-later

public import Media
internal import Synchronization

/// One playing of an asset (AVPlayerItem's counterpart): the part that is played, the chosen tracks
/// and what has become of it. An item is played once at a time. Any thread.
public final class PlayerItem: Sendable {
    /// The states of an item.
    public enum Status: Sendable {
        /// No player has opened it.
        case unknown
        /// All properties of the asset are loaded, and it can be played.
        case readyToPlay
        /// It cannot be played, or not to its end.
        case failed(PlaybackError)
    }

    /// The asset.
    public let asset: MediaAsset
    /// The time at which playing begins.
    public let startTime: MediaTime
    /// The time at which playing ends, if the asset does not end before; `nil` for its end
    /// (AVPlayerItem's `forwardPlaybackEndTime`).
    public let endTime: MediaTime?

    private struct State {
        var status = Status.unknown
        var duration = MediaTime.indefinite
        var presentationSize: Dimensions?
        var languages: [String] = []
        var limits = StreamLimits()
        var selections: [MediaSelectionGroup.Characteristic: Selection] = [:]
        /// Grows with each choice.
        var revision = 0
        /// Told of a choice while the item is played.
        var selected: (@Sendable () -> Void)?
        var subtitle: MediaSelectionOption?
        var allowsHardwareDecoding = true
        var decoder: (name: String, problem: String?)?
    }

    private enum Selection {
        case option(MediaSelectionOption?)
        case matching(String)
    }
    private let state = Mutex(State())

    /// Creates an item. Nothing is opened before a player has it.
    /// - Parameter range: The part that is played; `nil` for all. Its start is exact.
    public convenience init(_ asset: MediaAsset, playing range: MediaTimeRange? = nil) {
        self.init(asset, from: range?.start ?? .zero, to: range?.end)
    }

    private init(_ asset: MediaAsset, from start: MediaTime, to end: MediaTime?) {
        (self.asset, startTime, endTime) = (asset, start, end)
    }

    /// Returns another item of the same part of the same asset, with the same choices.
    public func copy() -> PlayerItem {
        let copy = PlayerItem(asset, from: startTime, to: endTime)
        let from = state.withLock { $0 }
        copy.state.withLock { state in
            (state.languages, state.limits) = (from.languages, from.limits)
            state.limits.carriedBitRate = nil
            state.selections = from.selections
            state.allowsHardwareDecoding = from.allowsHardwareDecoding
        }
        return copy
    }

    /// Whether the item can be played.
    public var status: Status { state.withLock { $0.status } }

    /// The asset's length; indefinite before the item is ready, and if the file does not say.
    public var duration: MediaTime { state.withLock { $0.duration } }

    /// The time at which the item ends, as far as that is known; indefinite if it is not.
    var expectedEnd: MediaTime {
        let duration = duration
        guard let endTime else { return duration }
        return duration.isNumeric ? min(endTime, duration) : endTime
    }

    /// The size of the upright pictures with square pixels; `nil` before the item is ready, and
    /// without pictures.
    public var presentationSize: Dimensions? { state.withLock { $0.presentationSize } }

    /// The languages of the viewer, as tags such as `de-AT`, the best first. They choose sound and
    /// texts where ``select(_:in:)`` does not. Set them before the item is played.
    public var preferredLanguages: [String] {
        get { state.withLock { $0.languages } }
        set { state.withLock { $0.languages = newValue } }
    }

    /// The most bits per second of a stream with several variants; `nil` for any number. Set it
    /// before the item is played.
    public var preferredPeakBitRate: Double? {
        get { state.withLock { $0.limits.peakBitRate } }
        set { state.withLock { $0.limits.peakBitRate = newValue } }
    }

    /// The largest pictures of a stream with several variants; `nil` for any size. Set it before
    /// the item is played.
    public var preferredMaximumResolution: Dimensions? {
        get { state.withLock { $0.limits.maximumResolution } }
        set { state.withLock { $0.limits.maximumResolution = newValue } }
    }

    /// Whether a decoder device may decode the pictures, if there is one that takes them. Set it
    /// before the item is played.
    public var allowsHardwareDecoding: Bool {
        get { state.withLock { $0.allowsHardwareDecoding } }
        set { state.withLock { $0.allowsHardwareDecoding = newValue } }
    }

    /// The name of the pictures' decoder; `nil` before the item is ready, and without pictures.
    public var decoder: String? { state.withLock { $0.decoder?.name } }

    /// Why a decoder device gave up, so that libavcodec goes on; `nil` if none did.
    public var decoderProblem: String? { state.withLock { $0.decoder?.problem } }

    /// The present limits for the variant of a stream.
    var limits: StreamLimits { state.withLock { $0.limits } }

    /// Takes note of how many bits per second the network can carry.
    func noteCarried(_ bitRate: Double) { state.withLock { $0.limits.carriedBitRate = bitRate } }

    /// Chooses an option of a group, or none. It counts when the item is opened; that of texts at
    /// once.
    public func select(
        _ option: MediaSelectionOption?, in characteristic: MediaSelectionGroup.Characteristic
    ) {
        choose(.option(option), in: characteristic)
    }

    /// Chooses the option with an id, language or title. It counts when the item is opened; without
    /// such an option the item fails. A choice of texts counts at once.
    public func select(
        matching text: String, in characteristic: MediaSelectionGroup.Characteristic
    ) {
        choose(.matching(text), in: characteristic)
    }

    private func choose(
        _ selection: Selection, in characteristic: MediaSelectionGroup.Characteristic
    ) {
        let selected = state.withLock { state in
            state.selections[characteristic] = selection
            state.revision += 1
            return state.selected
        }
        selected?()
    }

    /// The number of choices so far.
    var selectionRevision: Int { state.withLock { $0.revision } }

    /// Calls `body` after each choice.
    func observeSelections(_ body: (@Sendable () -> Void)?) {
        state.withLock { $0.selected = body }
    }

    /// The subtitles that are shown; `nil` for none, and before the item is ready.
    public var subtitle: MediaSelectionOption? { state.withLock { $0.subtitle } }

    /// The options to play.
    struct Choice {
        var visual, audible, legible: MediaSelectionOption?
    }

    /// Returns the options to play.
    /// - Throws: `unsupported` if there is no such option as somebody has chosen.
    func choice(_ facts: MediaAsset.Facts) throws(PlaybackError) -> Choice {
        let groups = [MediaSelectionGroup](facts)
        let (languages, selections) = state.withLock { ($0.languages, $0.selections) }
        func choice(
            _ kind: MediaSelectionGroup.Characteristic, with sound: MediaSelectionOption? = nil
        ) throws(PlaybackError) -> MediaSelectionOption? {
            switch selections[kind] {
            case .option(let option): return option
            case .matching(let text):
                return try groups.option(matching: text, in: kind, of: asset.name)
            case nil:
                let group = groups.first { $0.characteristic == kind }
                return group?.option(preferring: languages, with: sound)
            }
        }
        let sound = try choice(.audible)
        return Choice(
            visual: try choice(.visual), audible: sound,
            legible: try choice(.legible, with: sound))
    }

    // MARK: what players report

    func opened(
        _ facts: MediaAsset.Facts, presentationSize: Dimensions?, subtitle: MediaSelectionOption?
    ) {
        state.withLock { state in
            state.subtitle = subtitle
            state.status = .readyToPlay
            state.duration = facts.duration
            state.presentationSize = presentationSize
        }
    }

    func decodes(by name: String, _ problem: String? = nil) {
        state.withLock { $0.decoder = (name, problem) }
    }

    func chosen(subtitle: MediaSelectionOption?) { state.withLock { $0.subtitle = subtitle } }

    func failed(_ error: PlaybackError) { state.withLock { $0.status = .failed(error) } }
}

extension [MediaSelectionGroup] {
    /// Returns the option with an id, language or title.
    /// - Parameter name: The name of the asset.
    /// - Throws: `unsupported` if there is none; the next step names those that are there.
    public func option(
        matching text: String, in characteristic: MediaSelectionGroup.Characteristic,
        of name: String
    ) throws(PlaybackError) -> MediaSelectionOption {
        let group = first { $0.characteristic == characteristic }
        let found = group?.options.filter { $0.matches(text) } ?? []
        guard let found = found.first(where: { !$0.isForced }) ?? found.first else {
            throw PlaybackError(missing: text, in: group, of: name)
        }
        return found
    }
}

extension PlaybackError {
    fileprivate init(missing text: String, in group: MediaSelectionGroup?, of name: String) {
        let options = group?.options.map { option in
            option.language.map { "\(option.id) (\($0))" } ?? option.id
        }
        self.init(
            .unsupported, "\(name) has no subtitles \(text)",
            next: options.map { "Choose one of these: \($0.joined(separator: ", "))" }
                ?? "It has no subtitles at all.")
    }
}
