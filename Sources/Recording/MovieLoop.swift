// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import Imaging
internal import LinuxIO
internal import Media
internal import Synchronization

/// The encoder's thread: compresses the camera's frames while a movie is recorded, and all the time where there is a
/// pre-roll.
///
///     camera's thread ──frames──▶ encoder's thread ──fragments──▶ file's thread
///                       (queue)        │  ▲                     (``MovieWriter``)
///                                      ▼  │ start
///                                   pre-roll
///
/// The microphone's sound comes to it, too, and is compressed here.
///
///     idle ──start──▶ recording ──stop, a limit, no camera──▶ idle
struct MovieLoop: ~Copyable {
    private let mailbox: MovieMailbox
    private let settings: MovieSettings
    private let writer: MovieWriter.Inbox
    private let boundary: KernelBoundary

    private var encoder: GuardedEncoder
    /// As the connection says; while a movie is recorded the encoder may go on otherwise.
    private var announced: MovieStream?
    private var sound: MovieSound
    /// Some was of no use: what comes next does not follow what was encoded last.
    private var hasSkippedSound = false
    private var ring: SampleRing
    private var active: ActiveMovie?
    private var ordered: OrderedMovie?
    /// Where the movie goes on with its next key frame.
    private var successor: MovieOrder?
    private var closing = ClosingMovies()
    /// More that waits to be written, and the disk is too slow.
    private static let mostUnwritten = 64 << 20

    /// - Parameter boundary: entered where the thread may be kept: asleep, and in the encoder.
    init(
        _ mailbox: MovieMailbox, _ settings: MovieSettings, _ writer: MovieWriter.Inbox,
        _ boundary: KernelBoundary
    ) {
        self.mailbox = mailbox
        self.settings = settings
        self.writer = writer
        self.boundary = boundary
        encoder = GuardedEncoder(mailbox, settings, boundary)
        announced = encoder.stream
        ring = SampleRing(
            duration: settings.preRoll, largest: settings.largestPreRollBytes)
        sound = MovieSound(settings)
    }

    /// Runs until told to end, or given up.
    mutating func run() throws(SystemCallError) {
        // Why it cannot be, the first recording says.
        if settings.isExpected { _ = try? VideoEncoder.load() }
        let poller = try Poller()
        try poller.add(mailbox.wake, tag: 0)
        observe()
        // First what was left by a thread that was given up.
        while obeyWaiting() {
            if boundary.isAbandoned { return }
            encodeSound()
            encodeWaiting()
            if boundary.isAbandoned { return }
            if closing.isOverdue { close() }
            boundary.enter()
            _ = poller.wait(milliseconds: closing.isEmpty ? -1 : 50)
            guard boundary.leave() else {
                // What woke it was for its successor.
                return mailbox.wake.signal()
            }
        }
    }

    /// - Returns: `false` when the thread is to end, or has been given up: then what is left to obey is its
    ///   successor's.
    private mutating func obeyWaiting() -> Bool {
        mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
        while let command = mailbox.firstCommand {
            if command.endsSomething {
                encodeSound()
                encodeWaiting()
                if boundary.isAbandoned { return false }
            }
            mailbox.dropFirstCommand()
            if case .end = command {
                end()
                return false
            }
            obey(command)
            // Letting a device go, it may have been given up.
            if boundary.isAbandoned { return false }
        }
        return true
    }

    private mutating func end() {
        finish(.stopping)
        close()
        mailbox.frames.clear()
        _ = mailbox.endCommands()
        writer.finish()
        encoder.release()
    }

    private mutating func obey(_ command: MovieMailbox.Command) {
        switch command {
        case .streamStarted(let new):
            if encoder.stream?.hasSamePictures(as: new) != true {
                finish(.cameraLost)
                close()
                forget()
                encoder.stream = nil
            }
            announced = new
            goOver()
            if settings.isExpected, new.isStabilized { _ = try? VideoEncoder.loadStabilizer() }
        case .streamStopped(let willRestart):
            if willRestart { break }
            finish(.cameraLost)
            close()
            forget()
            announced = nil
            encoder.stream = nil
        case .soundChanged:
            if sound.goesOn(with: mailbox.listener?.format) { break }
            close()
            sound.end()
            active?.endSound()
        case .start(let order):
            // It is to be as its connection says by now, for which the one before it may have to be complete.
            if active == nil, !isAsAnnounced { close() }
            ordered = OrderedMovie(order)
            mailbox.withProgress { progress in
                progress.isRequested = false
                progress.isUnderWay = true
                progress.pending = order.id
            }
            if encoder.stream == nil { finish(.cameraLost) }
        case .goOn(let order):
            if active == nil {
                writer.post(
                    .refuse(order.id, MovieError(.noFrames, "nothing is being recorded")))
            } else {
                refuseSuccessor("it was to go on in another file before it had come to this one")
                successor = order
                encoder.forceKeyFrame()
            }
        case .stop(let reason): finish(reason)
        case .pause:
            active?.pause()
            ordered?.beginsPaused = true
        case .resume:
            active?.resume()
            ordered?.beginsPaused = false
            encoder.forceKeyFrame()
        case .end: break
        }
        observe()
    }

    /// Tells others how far it is, and whether frames are of use.
    private func observe() {
        if boundary.isAbandoned { return }
        publish()
        let (hasStream, keepsPreRoll) = (encoder.stream != nil, settings.preRoll > 0)
        let waitsForSound = !closing.isEmpty
        // Within the lock: a start in between counts.
        mailbox.withProgress { [mailbox] progress in
            let isWanted =
                hasStream && !progress.isClosed && (keepsPreRoll || progress.isRecording)
            mailbox.wantsFrames.store(isWanted, ordering: .releasing)
            mailbox.listener?.setWanted(isWanted || waitsForSound)
        }
    }

    private var isAsAnnounced: Bool {
        encoder.stream?.isStabilized == announced?.isStabilized
            && encoder.stream?.orientation == announced?.orientation
    }

    /// Compresses what has been announced, but for a movie that is under way, which is turned as it was at its start, and
    /// as steady.
    private mutating func goOver() {
        guard var next = announced else { return }
        if active != nil || ordered != nil || !closing.isEmpty, let former = encoder.stream {
            (next.orientation, next.isStabilized) = (former.orientation, former.isStabilized)
        }
        if let former = encoder.stream, next.isStabilized != former.isStabilized { forget() }
        encoder.stream = next
    }

    /// What was compressed of another stream is of no use.
    private mutating func forget() {
        encoder.release()
        ring.clear()
        sound.clearPreRoll()
    }

    private mutating func encodeWaiting() {
        // An order that is on its way here is for these frames.
        if active == nil, ordered == nil, mailbox.withProgress(\.isRequested) { return }
        // No more than waited when it was woken: where the encoder is slower than the camera there is always
        // another, and nobody would be obeyed.
        for _ in 0..<mailbox.frames.capacity {
            guard !boundary.isAbandoned, let lease = mailbox.frames.take() else { break }
            mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
            guard lease.description == encoder.stream?.description.frame else { continue }
            encode(lease)
        }
        publish()
    }

    private mutating func encodeSound() {
        guard let format = mailbox.listener?.format else { return }
        let isUseless = active == nil && ordered == nil && closing.isEmpty && settings.preRoll == 0
        for var chunk in mailbox.takeSound() where chunk.format == format {
            if !isUseless, hasSkippedSound { chunk.isFirst = true }
            hasSkippedSound = isUseless
            if isUseless { continue }
            for packet in sound.encode(chunk) { addSound(packet) }
        }
    }

    private mutating func addSound(_ packet: EncodedSample) {
        while !closing.isEmpty {
            if closing.addSound(packet) { return }
            closeFirst()
        }
        active?.addSound(packet)
    }

    private mutating func encode(_ lease: consuming FrameLease) {
        let info = lease.info
        if active == nil, ordered == nil, settings.preRoll == 0 { return }
        guard encoder.isReady(at: info.timestamp) else { return }
        do throws(MovieError) {
            if !encoder.isMade {
                guard try encoder.make() else { return }
                mailbox.failure.withLock { $0 = nil }
                publish()
            }
            let mayBegin = ordered.map { self.mayBegin($0.order, at: info.timestamp) } ?? false
            if mayBegin, ring.length == 0 { encoder.forceKeyFrame() }
            guard let encoded = try encoder.encode(lease.another()) else { return }
            count(encoded)
            for sample in encoded.samples ?? [] {
                // A movie that ends may end its encoder.
                guard encoder.isMade else { break }
                beginIfOrdered(sample, lease)
                goOnIfOrdered(sample, lease)
                add(sample)
            }
            if mayBegin { miss() }
        } catch {
            fail(error, at: info.timestamp)
        }
    }

    private func count(_ encoded: GuardedEncoder.Encoded) {
        guard let samples = encoded.samples else {
            mailbox.undecodable.add(1, ordering: .relaxed)
            return
        }
        mailbox.encoded.add(samples.count, ordering: .relaxed)
        // It refers to a frame that has not come here.
        if samples.isEmpty, encoder.isOfCamera { mailbox.dropped.add(1, ordering: .relaxed) }
    }

    /// Nothing can be encoded for now: what has been recorded is kept.
    private mutating func fail(_ error: MovieError, at time: Int64) {
        mailbox.failure.withLock { $0 = error }
        if active == nil { refuse(error) }
        finish(.encoderFailed)
        forget()
        encoder.rest(from: time)
    }

    /// A frame has gone by with which an ordered movie has not begun.
    private mutating func miss() {
        guard active == nil, let endsAtOnce = ordered?.endsAtOnce else { return }
        ordered?.hasMissedFrames = true
        if endsAtOnce { finish(.requested) }
    }

    /// There is no movie of what was ordered.
    private mutating func refuse(_ error: MovieError) {
        guard let ordered = ordered.take() else { return }
        publish()
        writer.post(.refuse(ordered.order.id, error))
        goOver()
    }

    /// Whether a movie that was ordered has this moment in it. Encoders keep times to the microsecond.
    private func mayBegin(_ order: MovieOrder, at time: Int64) -> Bool {
        active == nil && (time >= order.moment / 1000 * 1000 || ring.length > 0)
    }

    /// - Parameter sample: what comes next; without a pre-roll a movie waits for a key frame.
    private mutating func beginIfOrdered(
        _ sample: EncodedSample, _ lease: borrowing FrameLease
    ) {
        guard let ordered, mayBegin(ordered.order, at: sample.time) else { return }
        let order = ordered.order
        let earlier = ring.samples(for: order.moment)
        guard sample.isKeyFrame || !earlier.isEmpty else { return }
        sound.begin(mailbox.listener?.format)
        let origin = earlier.first?.time ?? sample.time
        guard let beginning = beginning(order, origin, lease) else { return }
        self.ordered = nil
        close()
        writer.post(.begin(beginning))
        var movie = ActiveMovie(
            order: order, origin: origin, packetDuration: sound.packetDuration,
            endsAtOnce: ordered.endsAtOnce)
        for packet in sound.preRoll { movie.addSound(packet) }
        for sample in earlier { post(movie.add(sample)) }
        if ordered.beginsPaused { movie.pause() }
        active = movie
        // The order is the writer's now, whatever becomes of this thread.
        publish()
    }

    private func beginning(
        _ order: MovieOrder, _ origin: Int64, _ lease: borrowing FrameLease
    ) -> MovieWriter.Beginning? {
        guard let track = encoder.track(turned: order.rotation) else { return nil }
        return MovieWriter.Beginning(
            order: order, origin: origin, tracks: [track] + (sound.track.map { [$0] } ?? []),
            clocks: MomentClocks(at: origin), thumbnail: encoder.thumbnail(of: lease))
    }

    /// Begins the next file of a movie with a key frame. No picture and no sound is in none of the two, or in both.
    private mutating func goOnIfOrdered(
        _ sample: EncodedSample, _ lease: borrowing FrameLease
    ) {
        guard sample.isKeyFrame, let order = successor, var movie = active, !movie.isPaused,
            let next = beginning(order, sample.time, lease)
        else { return }
        successor = nil
        let (end, later) = movie.split(at: sample.time)
        var new = ActiveMovie(
            order: order, origin: sample.time, packetDuration: sound.packetDuration, after: movie)
        conclude(ClosingMovies.Closing(movie: movie, end: end, reason: .continued, next: next))
        for packet in later { new.addSound(packet) }
        active = new
        if !later.isEmpty { close() }
        publish()
    }

    /// Waits for a movie's last sound, where there is any to come.
    private mutating func conclude(_ movie: ClosingMovies.Closing) {
        closing.append(movie)
        let heard = mailbox.heard.load(ordering: .relaxed)
        if sound.isDumb(heard: heard) || movie.movie.isSilent { close() }
    }

    /// What has all of its pictures is complete.
    private mutating func close() {
        while !closing.isEmpty { closeFirst() }
    }

    private mutating func closeFirst() {
        var first = closing.removeFirst()
        post(first.movie.rest(until: first.end))
        writer.post(.finish(first.reason))
        if let next = first.next { writer.post(.begin(next)) }
        guard closing.isEmpty else { return }
        goOver()
        observe()
    }

    private mutating func add(_ sample: EncodedSample) {
        ring.add(sample)
        guard active != nil else { return }
        let runs = active?.add(sample) ?? []
        if !runs.isEmpty { close() }
        post(runs)
        guard let movie = active else { return }
        if movie.endsAtOnce {
            finish(.requested)
        } else if let most = movie.order.maximumDuration, movie.duration + encoder.interval >= most
        {
            finish(.maximumDuration)
        } else if let most = movie.order.maximumFileSize, movie.bytes >= most {
            finish(.maximumFileSize)
        } else if mailbox.unwritten.load(ordering: .relaxed) > Self.mostUnwritten {
            finish(.storageTooSlow)
        }
    }

    private func post(_ runs: [MovieRun]) {
        if runs.isEmpty { return }
        let bytes = runs.reduce(0) { $1.samples.reduce($0) { $0 + $1.bytes.count } }
        mailbox.unwritten.add(bytes, ordering: .relaxed)
        writer.post(.append(runs, bytes: bytes))
    }

    private mutating func finish(_ reason: MovieStopReason) {
        if active == nil, reason == .requested, ordered?.hasMissedFrames == false {
            // Its first picture is on the way.
            ordered?.endsAtOnce = true
            return
        }
        let (movie, ordered) = (active.take(), ordered.take())
        refuseSuccessor("the recording ended before it went on there")
        // Who hears of the end may begin the next one.
        publish()
        if let movie {
            let end = movie.end(encoder.interval)
            conclude(ClosingMovies.Closing(movie: movie, end: end, reason: reason, next: nil))
            if !reason.isOrderly { close() }
            if settings.preRoll == 0, encoder.isForOneMovie { encoder.release() }
        } else if let ordered {
            let error = MovieError(.noFrames, "the recording ended before its first picture")
            writer.post(.refuse(ordered.order.id, error))
        }
        goOver()
        observe()
    }

    private mutating func refuseSuccessor(_ reason: String) {
        guard let successor = successor.take() else { return }
        writer.post(.refuse(successor.id, MovieError(.noFrames, reason)))
    }

    private func publish() {
        if boundary.isAbandoned { return }
        let (isUnderWay, pending) = (active != nil || ordered != nil, ordered?.order.id)
        let promised = closing.promised + (successor.map { [$0.id] } ?? [])
        let encoderName = encoder.name
        mailbox.withProgress { progress in
            progress.isUnderWay = isUnderWay
            progress.pending = pending
            progress.promised = promised
            progress.isPaused = active?.isPaused ?? ordered?.beginsPaused ?? false
            progress.duration = active?.duration ?? 0
            progress.bytes = active?.bytes ?? 0
            progress.earlierDuration = active?.earlierDuration ?? 0
            progress.earlierBytes = active?.earlierBytes ?? 0
            progress.maximumBytes = active?.order.maximumFileSize
            progress.preRoll = ring.length
            progress.preRollBytes = ring.bytes + sound.preRollBytes
            if let encoderName { progress.encoderName = encoderName }
        }
    }
}
