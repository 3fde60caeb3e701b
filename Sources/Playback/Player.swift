// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media
internal import Synchronization

/// Plays items one after the other on a display and a sound device (AVPlayer's counterpart). The
/// sound device's clock leads the pictures. Any thread may call it; the work is done on a thread of
/// the player's own, which ends with the player.
public class Player: @unchecked Sendable {
    /// The actions at an item's end (AVPlayer.ActionAtItemEnd's counterpart).
    public enum ActionAtItemEnd: Sendable {
        /// The next item is played without a gap; after the last one, the player pauses.
        case advance
        /// The player pauses at the end.
        case pause
        /// The time stays at the end, and the rate as it is.
        case none
    }

    /// Whether time passes (AVPlayer.TimeControlStatus's counterpart).
    public enum TimeControlStatus: String, Sendable {
        case paused
        /// The rate is not zero, but the item is not ready, or its data does not come.
        case waitingToPlay
        case playing
    }

    /// The news of a player.
    public enum Event: Sendable {
        /// Another item is the current one; `nil` if none is.
        case currentItemChanged(PlayerItem?)
        /// The current item can be played.
        case readyToPlay(PlayerItem)
        case timeControlStatusChanged(TimeControlStatus)
        /// The item was played to its end.
        case didPlayToEnd(PlayerItem)
        /// The item cannot be played, or not to its end.
        case failed(PlayerItem, PlaybackError)
        /// The item's data does not come fast enough. Playing goes on by itself.
        case stalled(PlayerItem)
        /// The sound device cannot be used; the pictures go on without it.
        case soundFailed(String)
        /// The chosen subtitles cannot be shown; the item is played without them.
        case subtitlesFailed(PlayerItem, PlaybackError)
    }

    /// Opens a sound device.
    public typealias SoundOpener = @Sendable () throws(SystemCallError) -> any SoundOutput

    let shared: PlayerShared
    /// The time of the current item, and its observers.
    public let clock: PlaybackClock
    /// Counts since the player was made.
    public let statistics: PlayerStatistics

    /// Creates a player that is paused.
    /// - Parameters:
    ///   - sound: Opens the sound device, on the player's thread, when it is needed first; `nil` to
    ///     play without sound.
    /// - Throws: `EMFILE` or `ENFILE`.
    public init(
        sound: SoundOpener? = nil
    ) throws(SystemCallError) {
        clock = PlaybackClock()
        statistics = PlayerStatistics()
        let shared = try PlayerShared()
        self.shared = shared
        let (clock, statistics) = (clock, statistics)
        let sleep = try PlayerSleep(shared.wake)
        _ = NamedThread("player", isUrgent: true) {
            PlayerEngine(shared, clock, statistics, sound).run(sleep)
        }
    }

    deinit {
        shared.change { $0.isClosed = true }
    }

    // MARK: items

    /// The item that is played, or would be.
    public var currentItem: PlayerItem? { shared.state.withLock { $0.queue.first } }

    /// Plays another item instead of all present ones; `nil` for none. The rate stays.
    public func replaceCurrentItem(with item: PlayerItem?) {
        shared.change { $0.queue = item.map { [$0] } ?? [] }
    }

    /// The action at an item's end. A ``QueuePlayer`` advances unless told otherwise.
    public var actionAtItemEnd: ActionAtItemEnd {
        get { shared.state.withLock { $0.actionAtItemEnd } }
        set { shared.change { $0.actionAtItemEnd = newValue } }
    }

    /// The place of the pictures; `nil` for none.
    public var layer: PlayerLayer? {
        get { shared.state.withLock { $0.layer } }
        set { shared.change { $0.layer = newValue } }
    }

    // MARK: time

    /// Plays at the usual rate.
    public func play() { rate = 1 }

    /// Pauses.
    public func pause() { rate = 0 }

    /// The slowest and the fastest rate besides zero.
    public static let rates = 0.25...4

    /// The seconds of the item per second: 0 to pause, otherwise its size lies within ``rates``.
    /// Sound is heard at 1 only. Backwards, only key frames are shown.
    public var rate: Double {
        get { shared.state.withLock { $0.rate } }
        set {
            let size = min(max(abs(newValue), Self.rates.lowerBound), Self.rates.upperBound)
            let rate = newValue == 0 || newValue.isNaN ? 0 : newValue < 0 ? -size : size
            shared.change { $0.rate = rate }
        }
    }

    /// Whether time passes.
    public var timeControlStatus: TimeControlStatus { shared.state.withLock { $0.control } }

    /// The time of the current item.
    public var currentTime: MediaTime { clock.time }

    /// Goes to another time of the current item: by default exactly.
    /// - Parameters:
    ///   - before: How much earlier the player may go on, if that is quicker.
    ///   - after: How much later it may go on. This player is never later.
    /// - Returns: `false` if another seek, ``cancelPendingSeeks()`` or another item came first.
    @discardableResult
    public func seek(
        to time: MediaTime, toleranceBefore before: MediaTime = .zero,
        toleranceAfter after: MediaTime = .zero
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            startSeek(to: time, toleranceBefore: before) { continuation.resume(returning: $0) }
        }
    }

    /// Goes to another time, and calls `completion` on the player's thread with whether it is
    /// there; see ``seek(to:toleranceBefore:toleranceAfter:)``.
    public func startSeek(
        to time: MediaTime, toleranceBefore before: MediaTime = .zero,
        completion: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        let former = shared.state.withLock { state -> SeekRequest? in
            defer {
                state.seek = SeekRequest(
                    item: state.queue.first, time: time, tolerance: before, completion: completion)
            }
            return state.seek
        }
        former?.completion(false)
        shared.wake.signal()
    }

    /// Makes all seeks return `false`. The one that has begun may still change the time.
    public func cancelPendingSeeks() {
        let pending = shared.state.withLock { state in
            state.cancelsSeek = true
            return state.seek.take()
        }
        pending?.completion(false)
        shared.wake.signal()
    }

    /// Stops time for somebody who drags a slider. Seek meanwhile; ``endScrubbing()`` restores the
    /// rate.
    public func beginScrubbing() { shared.change { $0.isScrubbing = true } }

    /// Goes on at the rate of before ``beginScrubbing()``.
    public func endScrubbing() { shared.change { $0.isScrubbing = false } }

    // MARK: sound

    /// The volume, from 0 to 1. A change is heard after the sound that is already at the device, up
    /// to 0.2 s.
    public var volume: Double {
        get { shared.state.withLock { $0.volume } }
        set { shared.change { $0.volume = min(max(newValue, 0), 1) } }
    }

    /// Whether the sound is silenced; the volume stays.
    public var isMuted: Bool {
        get { shared.state.withLock { $0.isMuted } }
        set { shared.change { $0.isMuted = newValue } }
    }

    // MARK: observers

    /// Calls `body` at each multiple of an interval; see
    /// ``PlaybackClock/addPeriodicObserver(every:_:)``.
    public func addPeriodicTimeObserver(
        every interval: MediaTime, _ body: @escaping @Sendable (MediaTime) -> Void
    ) -> PlaybackClock.Token {
        clock.addPeriodicObserver(every: interval, body)
    }

    /// Calls `body` when a time is passed; see ``PlaybackClock/addBoundaryObserver(at:_:)``.
    public func addBoundaryTimeObserver(
        at times: [MediaTime], _ body: @escaping @Sendable (MediaTime) -> Void
    ) -> PlaybackClock.Token {
        clock.addBoundaryObserver(at: times, body)
    }

    /// Returns all events from now on, for one reader. It ends with the player.
    public func events() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        let number = shared.state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        continuation.onTermination = { [weak shared] _ in
            shared?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }
}

/// Plays a queue of items (AVQueuePlayer's counterpart). The next item is opened before the present
/// one ends, and its sound follows without a sample in between.
public final class QueuePlayer: Player, @unchecked Sendable {
    /// Creates a player of these items; see ``Player/init(sound:)``.
    public init(
        items: [PlayerItem],
        sound: SoundOpener? = nil
    ) throws(SystemCallError) {
        try super.init(sound: sound)
        shared.change { state in
            state.queue = items
            state.actionAtItemEnd = .advance
        }
    }

    /// The current item and those that follow.
    public var items: [PlayerItem] { shared.state.withLock { $0.queue } }

    /// Adds an item behind another one; behind the last one if that is `nil` or not in the queue.
    public func insert(_ item: PlayerItem, after other: PlayerItem? = nil) {
        shared.change { state in
            let index = state.queue.firstIndex { $0 === other }
            state.queue.insert(item, at: index.map { $0 + 1 } ?? state.queue.count)
        }
    }

    /// Removes an item. If it is the current one, the next is played.
    public func remove(_ item: PlayerItem) {
        shared.change { $0.queue.removeAll { $0 === item } }
    }

    /// Removes all items.
    public func removeAllItems() { replaceCurrentItem(with: nil) }

    /// Ends the current item and plays the next.
    public func advanceToNextItem() {
        shared.change { if !$0.queue.isEmpty { $0.queue.removeFirst() } }
    }
}

/// Plays an item again and again without a gap (AVPlayerLooper's counterpart).
/// Its release ends that after the present round.
public final class PlayerLooper: Sendable {
    private let shared: PlayerShared

    /// Fills the player's queue, and begins with the first round.
    /// - Parameters:
    ///   - template: The item of which each round plays a copy.
    ///   - times: The number of rounds; `nil` for no end.
    public init(_ player: QueuePlayer, template: PlayerItem, times: Int? = nil) {
        shared = player.shared
        shared.change { state in
            state.queue = (0..<min(times ?? 2, 2)).map { _ in template.copy() }
            state.loop = PlayerLoop(template: template, left: times.map { max($0 - 2, 0) })
        }
    }

    deinit { shared.change { $0.loop = nil } }
}
