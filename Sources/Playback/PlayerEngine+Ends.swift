// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media
internal import Synchronization

/// The ends of items, and those that cannot be played.
extension PlayerEngine {
    func endIfDue() {
        guard let current, stop == nil else { return }
        if let failure = current.failure, !hasLanded { return fail(current, failure) }
        guard phase == .running else { return }
        if clock.rate < 0 { return stopAtStartIfDue(current) }
        // The first sample of the next item tells the moment, and the last picture is shown before.
        guard let end = current.end, clock.time >= end, !isNextHeard,
            current.nextPicture == nil
        else { return }
        if let failure = current.failure { return fail(current, failure) }
        let instant = clock.timebase.host(reaching: end) ?? Clock.monotonic
        let (rate, next) = (clock.rate, upcoming)
        takeFromQueue(current)
        if wish.actionAtItemEnd == .advance, let next {
            silence()
            shared.tell(.didPlayToEnd(current.item))
            // An item with sound waits for its first sample.
            let goesOn = next.isPrimed(withSound: true) && !next.hasSoundLeft
            enter(next, at: instant, rate: goesOn ? rate : 0)
            if !goesOn { phase = .buffering }
            return
        }
        halt()
        clock.setTime(end)
        stop = .atEnd
        if wish.actionAtItemEnd != .none { shared.change { $0.pauseAtEnd(of: current.item) } }
        shared.tell(.didPlayToEnd(current.item))
    }

    private func stopAtStartIfDue(_ feed: MediaFeed) {
        guard feed.nextPicture == nil, feed.end != nil, clock.time <= .zero else { return }
        halt()
        clock.setTime(.zero)
        stop = .atStart
        shared.change { $0.rate = 0 }
    }

    /// Takes an item that has ended from the queue if another one follows. A loop adds a round.
    func takeFromQueue(_ feed: MediaFeed) {
        shared.state.withLock { state in
            if state.actionAtItemEnd == .advance, state.queue.count > 1,
                state.queue.first === feed.item
            {
                state.queue.removeFirst()
                if let loop = state.loop, loop.left != 0 {
                    state.queue.append(loop.template.copy())
                    state.loop?.left = loop.left.map { $0 - 1 }
                }
            }
        }
    }

    /// Gives an item up, and plays the next one if there is one.
    private func fail(_ feed: MediaFeed, _ failure: PlaybackError) {
        halt()
        endSeek(false)
        stop = .failed
        feed.item.failed(failure)
        shared.tell(.failed(feed.item, failure))
        shared.change { state in
            if state.actionAtItemEnd == .advance, state.queue.count > 1,
                state.queue.first === feed.item
            {
                state.queue.removeFirst()
            } else {
                state.pauseAtEnd(of: feed.item)
            }
        }
    }
}

extension PlayerShared.State {
    /// Pauses if an item is the current one.
    fileprivate mutating func pauseAtEnd(of item: PlayerItem) {
        if queue.first === item { rate = 0 }
    }
}
