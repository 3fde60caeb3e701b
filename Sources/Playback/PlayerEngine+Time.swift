// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Glibc
internal import LinuxIO
internal import Media

/// The time of the player, which the sound device leads while there is sound.
extension PlayerEngine {
    /// Begins, continues or stops the passing of time.
    func control() {
        let rate = wantedRate
        guard rate != 0, let current, hasLanded, let landed = current.landed else { return halt() }
        if landed.order.isForward != (rate > 0) {
            halt()
            return order(clock.time, isForward: rate > 0, needsSound: rate > 0)
        }
        if phase == .still { phase = .buffering }
        if phase == .buffering { begin(rate, current, landed.order) }
        if phase == .cueing { cue() }
        if phase == .running { go(on: current, rate) }
    }

    /// Begins once enough is decoded.
    private func begin(_ rate: Double, _ feed: MediaFeed, _ order: MediaFeed.Order) {
        let withSound = wantsSound(rate, feed)
        // The pictures have gone on without sound.
        if withSound, !order.needsSound { return self.order(clock.time) }
        guard feed.isPrimed(withSound: withSound), feed.isLikelyToKeepUp else { return }
        if withSound, openLine() {
            feed.dropSound(before: clock.time, Self.format)
            phase = .cueing
        }
        // All sound that is left may lie before this time.
        if phase == .buffering || !feed.hasSoundLeft {
            clock.setRate(rate)
            phase = .running
        }
        stop = nil
    }

    private func wantsSound(_ rate: Double, _ feed: MediaFeed) -> Bool {
        rate == 1 && openSound != nil && soundFailure == nil && feed.hasSoundLeft
    }

    private func openLine() -> Bool {
        guard line == nil, let openSound else { return line != nil }
        do throws(SystemCallError) { line = SoundLine(try openSound()) } catch { lose(error) }
        return line != nil
    }

    /// Writes the first sound. Time passes from its first sample on.
    private func cue() {
        do throws(SystemCallError) {
            try fill()
            guard let line, line.isActive else {
                phase = .buffering
                return
            }
            try line.output.start()
            guard let heard = try line.heard() else { return }
            clock.setTime(heard.time, rate: 1, at: heard.host)
            phase = .running
        } catch {
            phase = .buffering
            recover(from: error)
        }
    }

    private func go(on feed: MediaFeed, _ rate: Double) {
        if line?.isActive == true {
            if rate == 1 { return followSound() }
            silence()
        }
        if clock.rate != rate {
            if wantsSound(rate, feed) {
                clock.setRate(0)
                phase = .buffering
                return
            }
            clock.setRate(rate)
        }
        // Sound that nobody hears passes, too.
        if rate > 0 { feed.dropSound(before: clock.time, Self.format) }
        if isStarved(feed) { stall() }
        takeLargerVariant(of: feed)
    }

    private func followSound() {
        do throws(SystemCallError) {
            try fill()
            guard let heard = try line?.heard() else { return }
            if let current, heard.feed === current {
                clock.follow(heard.time, at: heard.host)
                takeLargerVariant(of: current)
            } else if heard.feed === upcoming, let current {
                let passed = heard.time - heard.feed.item.startTime
                takeFromQueue(current)
                shared.tell(.didPlayToEnd(current.item))
                enter(heard.feed, at: heard.host - passed.nanoseconds, rate: 1)
            }
        } catch {
            if error.code == EPIPE, current?.hasSoundLeft == true {
                statistics.add(to: .underruns)
                if let time = line?.writtenTime { clock.stop(at: time) }
                stall()
            }
            recover(from: error)
        }
    }

    /// Makes the device ready after it has played everything; gives another device up.
    private func recover(from error: SystemCallError) {
        guard error.code == EPIPE else { return lose(error) }
        do throws(SystemCallError) { try line?.recover() } catch { lose(error) }
    }

    private func lose(_ error: SystemCallError) {
        line = nil
        soundFailure = error
        shared.tell(.soundFailed("\(error)"))
    }

    /// How long the medium may be silent before time stands still, if there is no sound to tell.
    static let patience: Int64 = 200_000_000

    private func isStarved(_ feed: MediaFeed) -> Bool {
        guard feed.nextPicture == nil, feed.end == nil, let since = feed.readingSince else {
            return false
        }
        return Clock.monotonic - since > Self.patience
    }

    private func stall() {
        guard let current else { return }
        clock.setRate(0)
        phase = .buffering
        statistics.add(to: .stalls)
        shared.tell(.stalled(current.item))
        takeSmallerVariant(of: current)
    }

    /// Stops time. Sound that was not heard is kept.
    func halt() {
        if phase == .still { return }
        let heard = silence()
        if let heard, heard.feed === current {
            clock.stop(at: heard.time)
        } else if clock.rate != 0 {
            clock.setRate(0)
        }
        phase = .still
    }

    /// Ends the sound; returns where.
    @discardableResult
    func silence() -> (feed: MediaFeed, time: MediaTime)? {
        guard line?.isActive == true else { return nil }
        do throws(SystemCallError) {
            return try line?.stop()
        } catch {
            lose(error)
            return nil
        }
    }

    // MARK: sound

    private func fill() throws(SystemCallError) {
        let volume = wish.isMuted ? 0 : wish.volume
        try line?.fill(volume: volume) { nextSound() }
    }

    /// Returns what is to be heard next: the rest of the current item, silence up to its end, and
    /// the next item.
    private func nextSound() -> (sound: DecodedSound, feed: MediaFeed)? {
        guard let current else { return nil }
        if !isNextHeard {
            if let sound = current.takeSound() { return (sound, current) }
            if current.hasSoundLeft { return nil }
            if let silence = silence(of: current) { return (silence, current) }
        }
        guard let upcoming, upcoming.landed != nil, let sound = upcoming.takeSound() else {
            return nil
        }
        return (sound, upcoming)
    }

    /// Whether sound of the next item was written.
    var isNextHeard: Bool {
        guard let upcoming, line?.isActive == true else { return false }
        return line?.lastFeed === upcoming
    }

    /// Returns a little silence for an item whose pictures last longer than its sound; `nil` at its
    /// end.
    private func silence(of feed: MediaFeed) -> DecodedSound? {
        let end = feed.end ?? feed.item.expectedEnd
        guard let written = line?.writtenTime, end.isNumeric else { return nil }
        let missing = (end - written).converted(toTimescale: Int32(Self.format.sampleRate)).value
        if missing <= 0 { return nil }
        let count = Int(min(missing, Self.longestSilence))
        return DecodedSound(
            time: written, samples: [Int16](repeating: 0, count: count * Self.format.channels))
    }

    /// The samples per channel of one piece of silence.
    private static let longestSilence: Int64 = 960

    // MARK: sleep

    /// How often the sound device is looked after.
    private static let soundInterval: Int64 = 40_000_000
    /// How often a device that has just begun is asked whether it plays.
    private static let cueInterval: Int64 = 4_000_000
    /// How often the player asks whether it can go on. The feed does not tell what has come before.
    private static let bufferInterval: Int64 = 10_000_000

    /// Returns when there is something to do, if nothing happens before; `nil` for never.
    func nextInstant() -> Int64? {
        let now = Clock.monotonic
        if phase == .cueing { return now + Self.cueInterval }
        if phase == .buffering { return now + Self.bufferInterval }
        guard phase == .running, let current else { return nil }
        let timebase = clock.timebase
        let next = current.nextPicture
        var instants: [Int64?] = []
        if timebase.rate > 0 {
            let shown = next.flatMap { timebase.host(reaching: $0.time) }
            let end = isNextHeard ? nil : current.end
            instants = [
                shown.map { $0 - lead }, end.flatMap { timebase.host(reaching: $0) },
            ]
        } else {
            // Backwards, a picture is shown down to its own time.
            if next != nil, let shown {
                instants = [timebase.host(reaching: shown.time).map { $0 - lead }]
            }
            if next == nil, current.end != nil { instants = [timebase.host(reaching: .zero)] }
            instants = instants.map { $0.map { $0 + 1 } }
        }
        instants.append(nextSubtitleInstant())
        if line?.isActive == true { instants.append(now + Self.soundInterval) }
        if next == nil, current.end == nil { instants.append(now + Self.patience) }
        return instants.compactMap(\.self).min()
    }
}

extension MediaTime {
    /// The time in nanoseconds, rounded.
    fileprivate var nanoseconds: Int64 { converted(toTimescale: 1_000_000_000).value }
}
