// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
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
    let mailbox: MovieMailbox
    let settings: MovieSettings
    let writer: MovieWriter.Inbox
    private let boundary: KernelBoundary

    var encoder: GuardedEncoder
    /// As the connection says; while a movie is recorded the encoder may go on otherwise.
    private var announced: MovieStream?
    var sound: MovieSound
    /// Some was of no use: what comes next does not follow what was encoded last.
    private var hasSkippedSound = false
    var ring: SampleRing
    var active: ActiveMovie?
    var ordered: OrderedMovie?
    /// Where the movie goes on with its next key frame.
    var successor: MovieOrder?
    var closing = ClosingMovies()

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
            duration: settings.preRoll, reserve: settings.orderDelay,
            largest: settings.largestPreRollBytes / 8 * 7)
        sound = MovieSound(settings)
    }

    /// Runs until told to end, or given up.
    mutating func run() {
        // Why it cannot be, the first recording says.
        if settings.isExpected { _ = try? VideoEncoder.load() }
        observe()
        // First what was left by a thread that was given up.
        while obeyWaiting() {
            if boundary.isAbandoned { return }
            encodeSound()
            encodeWaiting()
            if boundary.isAbandoned { return }
            if closing.isOverdue { close() }
            if boundary.isAbandoned { return }
            boundary.enter()
            _ = mailbox.idle.wait(milliseconds: closing.isEmpty ? -1 : 50)
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
            if case .start = command, active == nil, !isAsAnnounced {
                // It is to be as its connection says by now, for which the one before it has to be complete.
                close()
                // Its encoder has kept the thread: the order is its successor's.
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
        if boundary.isAbandoned { return }
        mailbox.frames.clear()
        _ = mailbox.endCommands()
        writer.finish()
        encoder.release()
    }

    private mutating func obey(_ command: MovieMailbox.Command) {
        switch command {
        case .streamStarted(let new):
            if encoder.stream?.hasSamePictures(as: new) != true {
                // One that has no picture yet is of the new stream's.
                if active != nil { finish(.cameraLost) }
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
            ordered = OrderedMovie(order)
            mailbox.withProgress { progress in
                progress.isRequested = false
                progress.isUnderWay = true
                progress.pending = order.id
            }
            if encoder.stream == nil { finish(.cameraLost) }
        case .goOn(let order):
            if active == nil, ordered == nil {
                writer.post(
                    .refuse(order.id, MovieError(.noFrames, "nothing is being recorded")))
            } else {
                refuseSuccessor("it was to go on in another file before it had come to this one")
                successor = order
                encoder.forceKeyFrame()
            }
        case .stop(let reason): finish(reason)
        case .stopFile(let id, let reason): if active?.order.id == id { finish(reason) }
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
    func observe() {
        if boundary.isAbandoned { return }
        publish()
        let (knowsStream, keepsPreRoll) = (encoder.stream != nil, settings.preRoll > 0)
        let waitsForSound = !closing.isEmpty
        // Within the lock: a start in between counts.
        mailbox.withProgress { [mailbox] progress in
            // Frames of a stream that this thread does not know yet count, too.
            let hasStream = knowsStream || mailbox.firstCommand?.startsStream == true
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
    mutating func goOver() {
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
            // Pictures may be left out, but nobody wants gaps in what is heard, and it costs little.
            encodeSound()
        }
        publish()
    }

    private mutating func encodeSound() {
        // It would be its successor's.
        if boundary.isAbandoned { return }
        guard let format = mailbox.listener?.format else { return }
        let isUseless = active == nil && ordered == nil && closing.isEmpty && settings.preRoll == 0
        // An order that is on its way here is for this sound.
        if isUseless, mailbox.withProgress(\.isRequested) { return }
        for var chunk in mailbox.takeSound() where chunk.format == format {
            if !isUseless, hasSkippedSound { chunk.isFirst = true }
            hasSkippedSound = isUseless
            if isUseless { continue }
            for packet in sound.encode(chunk, picturesFrom: ring.start) { addSound(packet) }
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
                // The first picture has its own time.
                mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
                mailbox.failure.withLock { $0 = nil }
                publish()
            }
            let mayBegin = ordered.map { self.mayBegin($0.order, at: info.timestamp) } ?? false
            if mayBegin, let order = ordered?.order, preRoll(of: order).isEmpty {
                encoder.forceKeyFrame()
            }
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
        finish(.encoderFailed, error)
        forget()
        encoder.rest(from: time)
    }

    func publish() {
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
