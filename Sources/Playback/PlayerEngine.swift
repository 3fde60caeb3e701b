// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import LinuxIO
internal import Media
internal import Synchronization

/// The work of a player's thread.
///
///     still ──rate, item open──▶ buffering ──decoded──▶ cueing ──first sample heard──▶ running
///       ▲                          │    ▲ │                                             │ │
///       │                          │    │ └────────────── without sound ───────────────▶│ │
///       │                          │    └──────────────── data late ────────────────────┘ │
///       └──────── rate 0, seek ────┴──────────────────────────────────────────────────────┘
final class PlayerEngine {
    enum Phase { case still, buffering, cueing, running }

    /// Why time stands still although the rate is not zero.
    enum Stop { case atEnd, atStart, failed }

    let shared: PlayerShared
    let clock: PlaybackClock
    let statistics: PlayerStatistics
    let openSound: Player.SoundOpener?
    /// The format of all sound.
    static let format = AudioFormat(sampleRate: 48_000, channels: 2)

    /// The wishes of the player, since the beginning of this turn.
    private(set) var wish = PlayerShared.State()
    private(set) var current: MediaFeed?
    /// The next item, which is opened before the current one ends.
    private(set) var upcoming: MediaFeed?
    var phase = Phase.still
    var stop: Stop?
    var line: SoundLine?
    /// Why there is no sound device. Another item tries again.
    var soundFailure: SystemCallError?
    /// The seek that has begun.
    private var seek: SeekRequest?
    /// The numbers of the last order to the current feed, and of the last one that was fulfilled.
    private var orders = (given: 0, landed: -1)
    private var layer: PlayerLayer?
    /// The picture that is shown, and the one that lies ready in the display's memory.
    private(set) var shown: DecodedPicture?
    private var staged: DecodedPicture?
    var subtitles = Subtitles()
    /// The current item's.
    var growth = Growth()

    init(
        _ shared: PlayerShared, _ clock: PlaybackClock, _ statistics: PlayerStatistics,
        _ openSound: Player.SoundOpener?
    ) {
        (self.shared, self.clock, self.statistics) = (shared, clock, statistics)
        self.openSound = openSound
    }

    /// Works until the player is released.
    func run(_ sleep: borrowing PlayerSleep) {
        while true {
            wish = shared.state.withLock { state in
                defer { (state.seek, state.cancelsSeek) = (nil, false) }
                return state
            }
            if wish.isClosed { break }
            followLayer()
            followQueue()
            takeSeek()
            land()
            control()
            present()
            followSubtitles()
            endIfDue()
            report()
            sleep.wait(until: nextInstant())
        }
        endSeek(false)
        wish.seek?.completion(false)
        layer?.detach()
        for listener in wish.listeners.values { listener.finish() }
    }

    /// The rate at which time is to pass now.
    var wantedRate: Double {
        if wish.isScrubbing { return 0 }
        switch stop {
        case .failed: return 0
        case .atEnd: return min(wish.rate, 0)
        case .atStart: return max(wish.rate, 0)
        case nil: return wish.rate
        }
    }

    // MARK: items

    /// How long before its expected end the next item is opened.
    private static let preparation = MediaTime(value: 3, timescale: 1)

    private func followQueue() {
        if stop == .failed, wish.actionAtItemEnd == .advance, wish.queue.count > 1, let current,
            wish.queue.first === current.item
        {
            // An item that has failed makes way for one that was added since.
            takeFromQueue(current)
            wish.queue.removeFirst()
        }
        if wish.queue.first !== current?.item {
            halt()
            enter(wish.queue.first.flatMap(feed), at: Clock.monotonic, rate: 0)
        }
        let next = wish.queue.dropFirst().first
        if upcoming?.item !== next { upcoming = nil }
        guard upcoming == nil, wish.actionAtItemEnd == .advance, let current, let next else {
            return
        }
        let end = current.end ?? current.item.expectedEnd
        if current.end != nil || end - clock.time < Self.preparation { upcoming = feed(next) }
    }

    /// Makes an item the current one.
    /// - Parameter instant: The instant at which its first picture is due.
    func enter(_ feed: MediaFeed?, at instant: Int64, rate: Double) {
        endSeek(false)
        if current == nil, feed == nil { return }
        (current, upcoming, shown, staged) = (feed, nil, nil, nil)
        (orders, stop, growth) = ((0, -1), nil, Growth())
        if line == nil { soundFailure = nil }
        clock.setTime(feed?.item.startTime ?? .zero, rate: rate, at: instant)
        shared.tell(.currentItemChanged(feed?.item))
        land()
    }

    private func feed(_ item: PlayerItem) -> MediaFeed? {
        // Without descriptors, the item waits for another turn.
        try? MediaFeed(item, sound: Self.format, isHeard: openSound != nil) { [shared] in
            shared.wake.signal()
        }
    }

    // MARK: seeks

    private func takeSeek() {
        if wish.cancelsSeek { endSeek(false) }
        guard let request = wish.seek else { return }
        endSeek(false)
        guard let current, request.item === current.item, current.failure == nil,
            current.isSeekable
        else {
            return request.completion(false)
        }
        seek = request
        halt()
        stop = nil
        let duration = current.item.duration
        var time = max(request.time, .zero)
        if duration.isNumeric { time = min(time, duration) }
        // While a person looks for a place, sound is not needed.
        order(
            time.isNumeric ? time : .zero, tolerance: request.tolerance,
            needsSound: wish.rate != 0 && !wish.isScrubbing)
    }

    func order(
        _ time: MediaTime, tolerance: MediaTime = .zero, isForward: Bool = true,
        needsSound: Bool = true, reopens: Bool = false
    ) {
        orders.given += 1
        staged = nil
        current?.go(
            MediaFeed.Order(
                number: orders.given, time: time, tolerance: tolerance, isForward: isForward,
                needsSound: needsSound, reopens: reopens))
    }

    /// Whether the feed is where the player wants to go on.
    var hasLanded: Bool { orders.given == orders.landed }

    /// Shows the first picture of an order that is fulfilled.
    private func land() {
        guard let current, let landed = current.landed, landed.order.number != orders.landed
        else { return }
        if orders.landed < 0 { shared.tell(.readyToPlay(current.item)) }
        orders.landed = landed.order.number
        if seek != nil || landed.order.reopens, hasLanded { clock.setTime(landed.time) }
        if let picture = current.takeFirstPicture() { show(picture) }
        if hasLanded { endSeek(true) }
    }

    func endSeek(_ isFinished: Bool) {
        let request = seek.take()
        request?.completion(isFinished)
    }

    // MARK: pictures

    private func followLayer() {
        if wish.layer !== layer {
            layer?.detach()
            layer = wish.layer
            layer?.attach { [shared] in shared.wake.signal() }
        }
        // A new display shows what the old one has shown.
        if layer?.takeChange() == true {
            staged = nil
            subtitles = Subtitles()
            if let shown { show(shown, again: true) }
        }
    }

    /// Draws the subtitles; `nil` if nobody wants to see any.
    var subtitlePresenter: SubtitlePresenter? { layer?.subtitles }

    /// How long before its time a picture is given to the display, in nanoseconds.
    var lead: Int64 { layer?.target.latency ?? 0 }

    private func present() {
        guard let current, hasLanded else { return }
        if phase == .running,
            let (picture, skipped) = current.takePicture(
                due: clock.timebase.time(at: Clock.monotonic + lead),
                after: shown?.time ?? .invalid)
        {
            if skipped > 0 { statistics.add(skipped, to: .late) }
            show(picture)
        }
        // The next picture is copied before its time comes.
        guard staged == nil, let layer, let track = current.tracks?.picture,
            let next = current.nextPicture
        else { return }
        if layer.stage(next, of: track) == .staged { staged = next }
    }

    private func show(_ picture: DecodedPicture, again isAgain: Bool = false) {
        shown = picture
        if staged !== picture, let layer, let track = current?.tracks?.picture,
            layer.stage(picture, of: track) == .full
        {
            return statistics.add(to: .unshown)
        }
        staged = nil
        layer?.present()
        if !isAgain { statistics.add(to: .shown) }
    }

    // MARK: rest

    private func report() {
        let status: Player.TimeControlStatus =
            wantedRate == 0 || current == nil
            ? .paused : phase == .running ? .playing : .waitingToPlay
        let isNew = shared.state.withLock { state in
            defer { state.control = status }
            return state.control != status
        }
        if isNew { shared.tell(.timeControlStatusChanged(status)) }
    }
}
