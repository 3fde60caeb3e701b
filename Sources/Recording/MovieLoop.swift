// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import LinuxIO
internal import Media
internal import Synchronization

/// The encoder's thread. Compresses the camera's frames and the microphone's sound while a movie is
/// recorded, or all the time if there is a pre-roll.
///
///     camera's thread ──frames──▶ encoder's thread ──fragments──▶ file's thread
///                       (queue)        │  ▲                     (``MovieWriter``)
///                                      ▼  │ start
///                                   pre-roll
///
///     idle ──start──▶ recording ──stop, a limit, no camera──▶ idle
struct MovieLoop: ~Copyable {
    let mailbox: MovieMailbox
    let settings: MovieSettings
    let writer: MovieWriter.Inbox
    private let callGuard: BlockingCallGuard

    var encoder: GuardedEncoder
    /// The stream as its connection announced it; during a movie, the encoder's may differ.
    private var announced: MovieStream?
    var sound: MovieSound
    /// Whether sound was skipped: the next chunk does not follow the last encoded one.
    private var hasSkippedSound = false
    var ring: SampleRing
    var active: ActiveMovie?
    var ordered: OrderedMovie?
    /// The order in which the movie continues at its next key frame.
    var successor: MovieOrder?
    var closing = ClosingMovies()

    /// - Parameter callGuard: entered where the thread may block: asleep, and in the encoder.
    init(
        _ mailbox: MovieMailbox, _ settings: MovieSettings, _ writer: MovieWriter.Inbox,
        _ callGuard: BlockingCallGuard
    ) {
        self.mailbox = mailbox
        self.settings = settings
        self.writer = writer
        self.callGuard = callGuard
        encoder = GuardedEncoder(mailbox, settings, callGuard)
        announced = encoder.stream
        ring = SampleRing(
            duration: settings.preRoll, reserve: settings.orderDelay,
            largest: settings.largestPreRollBytes / 8 * 7)
        sound = MovieSound(settings)
    }

    /// Runs until it is told to end, or is abandoned.
    mutating func run() {
        // The first recording reports why loading failed.
        if settings.isExpected { _ = try? VideoEncoder.load() }
        observe()
        // Commands that an abandoned thread left come first.
        while obeyWaiting() {
            if callGuard.isAbandoned { return }
            encodeSound()
            encodeWaiting()
            if callGuard.isAbandoned { return }
            if closing.isOverdue { close() }
            if callGuard.isAbandoned { return }
            callGuard.enter()
            _ = mailbox.idle.wait(milliseconds: closing.isEmpty ? -1 : 50)
            guard callGuard.leave() else {
                // The wake-up was for the successor thread.
                return mailbox.wake.signal()
            }
        }
    }

    /// Obeys all waiting commands. Returns `false` when the thread is to end, or was abandoned and
    /// leaves the rest to its successor.
    private mutating func obeyWaiting() -> Bool {
        mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
        while let command = mailbox.firstCommand {
            if command.endsSomething {
                encodeSound()
                encodeWaiting()
                if callGuard.isAbandoned { return false }
            }
            if case .start = command, active == nil, !isAsAnnounced {
                // The new movie follows the announced stream, once earlier movies are complete.
                close()
                // The encoder blocked the thread: the order is left to its successor.
                if callGuard.isAbandoned { return false }
            }
            mailbox.dropFirstCommand()
            if case .end = command {
                end()
                return false
            }
            obey(command)
            // The thread may have been abandoned while it released a device.
            if callGuard.isAbandoned { return false }
        }
        return true
    }

    private mutating func end() {
        finish(.stopping)
        close()
        if callGuard.isAbandoned { return }
        mailbox.frames.clear()
        _ = mailbox.endCommands()
        writer.finish()
        encoder.release()
    }

    private mutating func obey(_ command: MovieMailbox.Command) {
        switch command {
        case .streamStarted(let new):
            if encoder.stream?.hasSamePictures(as: new) != true {
                // A movie without a picture begins with the new stream.
                if active != nil { finish(.cameraLost) }
                close()
                forget()
                encoder.stream = nil
            }
            announced = new
            applyStream()
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
        case .continueIn(let order):
            if active == nil, ordered == nil {
                writer.post(
                    .refuse(order.id, MovieError(.noFrames, "nothing is being recorded")))
            } else {
                refuseSuccessor("the recording continues in another file instead")
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

    /// Publishes the progress, and whether frames and sound are wanted.
    func observe() {
        if callGuard.isAbandoned { return }
        publish()
        let (knowsStream, keepsPreRoll) = (encoder.stream != nil, settings.preRoll > 0)
        let waitsForSound = !closing.isEmpty
        // Within the lock, so that a concurrent start is counted.
        mailbox.withProgress { [mailbox] progress in
            // Frames are also wanted for a stream whose start this thread has yet to obey.
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

    /// Applies the announced stream, except that a movie under way keeps the orientation and
    /// stabilization of its start.
    mutating func applyStream() {
        guard var next = announced else { return }
        if active != nil || ordered != nil || !closing.isEmpty, let former = encoder.stream {
            (next.orientation, next.isStabilized) = (former.orientation, former.isStabilized)
        }
        if let former = encoder.stream, next.isStabilized != former.isStabilized { forget() }
        encoder.stream = next
    }

    /// Discards the encoder and everything compressed so far.
    private mutating func forget() {
        encoder.release()
        ring.clear()
        sound.clearPreRoll()
    }

    private mutating func encodeWaiting() {
        // A start that this thread has yet to obey wants these frames.
        if active == nil, ordered == nil, mailbox.withProgress(\.isRequested) { return }
        // At most one queue per wake-up: a slow encoder would never get to the next command.
        for _ in 0..<mailbox.frames.capacity {
            guard !callGuard.isAbandoned, let lease = mailbox.frames.take() else { break }
            mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
            guard lease.description == encoder.stream?.description.frame else { continue }
            encode(lease)
            // Encoded after every frame: gaps in sound are worse than missing pictures.
            encodeSound()
        }
        publish()
    }

    private mutating func encodeSound() {
        // The sound belongs to the successor thread.
        if callGuard.isAbandoned { return }
        guard let format = mailbox.listener?.format else { return }
        let isUseless = active == nil && ordered == nil && closing.isEmpty && settings.preRoll == 0
        // A start that this thread has yet to obey wants this sound.
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
                // The first picture's deadline begins now, after the encoder was made.
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
                // The end of a movie may release the encoder.
                guard encoder.isMade else { break }
                beginIfOrdered(sample, lease)
                splitIfOrdered(sample, lease)
                add(sample)
            }
            if mayBegin { frameSkipped() }
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
        // The frame refers to one that was lost.
        if samples.isEmpty, encoder.isOfCamera { mailbox.dropped.add(1, ordering: .relaxed) }
    }

    /// Ends the movie after an encoder's error and retries later. The pictures so far are kept.
    private mutating func fail(_ error: MovieError, at time: Int64) {
        mailbox.failure.withLock { $0 = error }
        if active == nil { refuse(error) }
        finish(.encoderFailed, error)
        forget()
        encoder.rest(from: time)
    }

    func publish() {
        if callGuard.isAbandoned { return }
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
