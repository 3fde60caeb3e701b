// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media
internal import Synchronization

/// A seek that somebody waits for.
struct SeekRequest: Sendable {
    let item: PlayerItem?
    let time: MediaTime
    let tolerance: MediaTime
    let completion: @Sendable (Bool) -> Void
}

/// The rounds that a ``PlayerLooper`` adds to the queue.
struct PlayerLoop: Sendable {
    let template: PlayerItem
    /// The rounds that are not in the queue yet; `nil` for no end.
    var left: Int?
}

/// The state that a player and its thread share.
final class PlayerShared: Sendable {
    let state = Mutex(State())
    let wake: WakeSignal

    struct State: Sendable {
        var queue: [PlayerItem] = []
        var loop: PlayerLoop?
        var rate = 0.0
        var volume = 1.0
        var isMuted = false
        var actionAtItemEnd = Player.ActionAtItemEnd.pause
        var isScrubbing = false
        var layer: PlayerLayer?
        /// The newest seek, which has not begun.
        var seek: SeekRequest?
        /// Whether the seek that has begun counts as not finished.
        var cancelsSeek = false
        var isClosed = false
        var control = Player.TimeControlStatus.paused
        var listeners: [Int: AsyncStream<Player.Event>.Continuation] = [:]
        var nextListener = 0
    }

    init() throws(SystemCallError) { wake = try WakeSignal() }

    /// Changes what the player wants.
    func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        wake.signal()
    }

    func tell(_ event: Player.Event) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
    }
}

/// The sleep of a player's thread.
struct PlayerSleep: ~Copyable, Sendable {
    private let poller: Poller
    private let timer: TimerDescriptor

    init(_ wake: WakeSignal) throws(SystemCallError) {
        let timer = try TimerDescriptor()
        let poller = try Poller.watching(wake)
        try poller.add(timer.number, tag: 1)
        self.timer = timer
        self.poller = poller
    }

    /// Waits for an instant of `CLOCK_MONOTONIC`, or for the signal alone.
    borrowing func wait(until instant: Int64?) {
        // Setting an existing timer cannot fail, and clears its last expiry.
        _ = try? timer.arm(at: instant ?? .max)
        _ = poller.wait()
    }
}
