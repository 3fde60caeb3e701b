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

    private var stream: MovieStream?
    private var pipeline: EncodingPipeline?
    private var sound: SoundPipeline?
    private var ring: SampleRing
    private var soundRing: SampleRing
    private var active: ActiveMovie?
    private var order: MovieOrder?
    /// Whether its end was asked for before its first picture had come.
    private var endsAtOnce = false
    /// Whether frames came for it and none began it: they were no pictures, or nothing that playing can begin with.
    private var hasMissedFrames = false
    /// After an encoder that failed.
    private var retryTime: Int64 = 0
    private static let retryInterval: Int64 = 1_000_000_000

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
        stream = mailbox.currentStream
        ring = SampleRing(
            duration: settings.preRoll, largest: settings.largestPreRollBytes)
        // Of a tenth of the pictures' size at the most; a second longer, as they are.
        soundRing = SampleRing(
            duration: settings.preRoll > 0 ? settings.preRoll + 1_500_000_000 : 0,
            largest: settings.largestPreRollBytes / 8)
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
            encodeSound()
            encodeWaiting()
            if boundary.isAbandoned { return }
            boundary.enter()
            _ = poller.wait()
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
        }
        return true
    }

    private mutating func end() {
        finish(.stopping)
        mailbox.frames.clear()
        _ = mailbox.endCommands()
        writer.finish()
    }

    private mutating func obey(_ command: MovieMailbox.Command) {
        switch command {
        case .streamStarted(let new):
            let isSame = stream?.description.frame == new.description.frame
            if !isSame {
                finish(.cameraLost)
                forget()
            }
            // A movie is turned as it was at its start.
            stream = MovieStream(
                description: new.description,
                rotation: isSame ? stream?.rotation ?? new.rotation : new.rotation)
        case .streamStopped(let willRestart):
            if willRestart { break }
            finish(.cameraLost)
            forget()
            stream = nil
        case .soundChanged:
            if sound == nil || mailbox.listener?.format == sound?.format { break }
            sound = nil
            soundRing.clear()
            active?.endSound()
        case .start(let order):
            self.order = order
            hasMissedFrames = false
            mailbox.withProgress { progress in
                progress.isRequested = false
                progress.isUnderWay = true
                progress.pending = order.id
            }
            if stream == nil { finish(.cameraLost) }
        case .stop(let reason): finish(reason)
        case .pause: active?.pause()
        case .resume:
            active?.resume()
            pipeline?.forceKeyFrame()
        case .end: break
        }
        observe()
    }

    /// Tells others how far it is, and whether frames are of use.
    private func observe() {
        publish()
        let (hasStream, keepsPreRoll) = (stream != nil, settings.preRoll > 0)
        // Within the lock: a start in between counts.
        mailbox.withProgress { [mailbox] progress in
            let isWanted =
                hasStream && !progress.isClosed && (keepsPreRoll || progress.isRecording)
            mailbox.wantsFrames.store(isWanted, ordering: .releasing)
            mailbox.listener?.setWanted(isWanted)
        }
    }

    /// What was compressed of another stream is of no use.
    private mutating func forget() {
        pipeline = nil
        ring.clear()
        soundRing.clear()
    }

    private mutating func encodeWaiting() {
        // An order that is on its way here is for these frames.
        if active == nil, order == nil, mailbox.withProgress(\.isRequested) { return }
        // No more than waited when it was woken: where the encoder is slower than the camera there is always
        // another, and nobody would be obeyed.
        for _ in 0..<mailbox.frames.capacity {
            guard !boundary.isAbandoned, let lease = mailbox.frames.take() else { break }
            mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
            guard let stream, lease.description == stream.description.frame else { continue }
            encode(lease, stream.description)
        }
        publish()
    }

    private mutating func encodeSound() {
        guard let format = mailbox.listener?.format else { return }
        for chunk in mailbox.takeSound() where chunk.format == format {
            if active == nil, order == nil, settings.preRoll == 0 { continue }
            // Pictures without their sound are better than none.
            guard let pipeline = try? sound ?? SoundPipeline(format) else { return }
            sound = pipeline
            guard let packets = try? pipeline.encode(chunk) else {
                sound = nil
                continue
            }
            for packet in packets {
                soundRing.add(packet)
                active?.addSound(packet)
            }
        }
    }

    private mutating func encode(_ lease: consuming FrameLease, _ stream: StreamDescription) {
        let info = lease.info
        if pipeline == nil, info.timestamp < retryTime { return }
        if active == nil, order == nil, settings.preRoll == 0 { return }
        do throws(MovieError) {
            let pipeline = try pipeline(for: stream)
            let mayBegin = order.map { self.mayBegin($0, at: info.timestamp) } ?? false
            if mayBegin, ring.length == 0 { pipeline.forceKeyFrame() }
            let thumbnail = mayBegin ? pipeline.thumbnail(of: lease) : nil
            guard let encoded = try stay(in: pipeline, with: lease) else { return }
            guard let samples = encoded.samples else {
                mailbox.undecodable.add(1, ordering: .relaxed)
                return miss()
            }
            mailbox.encoded.add(samples.count, ordering: .relaxed)
            for sample in samples {
                beginIfOrdered(pipeline, sample, thumbnail)
                add(sample, pipeline.interval)
            }
            miss()
        } catch {
            fail(error, at: info.timestamp)
        }
    }

    /// What became of a frame: nothing, where it was no picture.
    private struct Encoded {
        let samples: [EncodedSample]?
    }

    /// Compresses a frame, if the thread has not been given up meanwhile: what it had is another's then.
    private func stay(
        in pipeline: EncodingPipeline, with lease: consuming FrameLease
    ) throws(MovieError) -> Encoded? {
        // Whatever took long before, such as finding the encoder's library, was no standstill.
        mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
        boundary.enter()
        do throws(MovieError) {
            let samples = try pipeline.encode(lease)
            return boundary.leave() ? Encoded(samples: samples) : nil
        } catch {
            if boundary.leave() { throw error }
            return nil
        }
    }

    private mutating func pipeline(
        for stream: StreamDescription
    ) throws(MovieError) -> EncodingPipeline {
        if let pipeline { return pipeline }
        let new = try EncodingPipeline(stream, settings)
        pipeline = new
        return new
    }

    /// Nothing can be encoded for now: what has been recorded is kept.
    private mutating func fail(_ error: MovieError, at time: Int64) {
        if active == nil, order != nil { refuse(error) }
        finish(.encoderFailed)
        forget()
        retryTime = time + Self.retryInterval
    }

    /// A frame has gone by with which an ordered movie has not begun.
    private mutating func miss() {
        guard active == nil, order != nil else { return }
        hasMissedFrames = true
        if endsAtOnce { finish(.requested) }
    }

    /// There is no movie of what was ordered.
    private mutating func refuse(_ error: MovieError) {
        guard let order = order.take() else { return }
        endsAtOnce = false
        publish()
        writer.post(.refuse(order.id, error))
    }

    /// Whether a movie that was ordered has this moment in it.
    private func mayBegin(_ order: MovieOrder, at time: Int64) -> Bool {
        active == nil && (time >= order.moment || ring.length > 0)
    }

    /// - Parameter sample: what comes next; without a pre-roll a movie waits for a key frame.
    private mutating func beginIfOrdered(
        _ pipeline: EncodingPipeline, _ sample: EncodedSample, _ thumbnail: [UInt8]?
    ) {
        guard let order, mayBegin(order, at: sample.time) else { return }
        let earlier = ring.samples(for: order.moment)
        let rotation = (stream?.rotation ?? .none) + order.rotation
        guard sample.isKeyFrame || !earlier.isEmpty, let track = pipeline.track(rotation) else {
            return
        }
        self.order = nil
        // Before its first samples come: the movie has to know that there will be any.
        if let format = mailbox.listener?.format, sound == nil {
            sound = try? SoundPipeline(format)
        }
        let origin = earlier.first?.time ?? sample.time
        writer.post(
            .begin(
                MovieWriter.Beginning(
                    order: order, origin: origin,
                    tracks: [track] + (sound.map { [$0.track] } ?? []),
                    clocks: MomentClocks(at: origin), thumbnail: thumbnail)))
        var movie = ActiveMovie(
            order: order, origin: origin, packetDuration: sound?.packetDuration)
        for packet in soundRing.all { movie.addSound(packet) }
        for sample in earlier { post(movie.add(sample)) }
        active = movie
        // The order is the writer's now, whatever becomes of this thread.
        publish()
    }

    private mutating func add(_ sample: EncodedSample, _ interval: Int64) {
        ring.add(sample)
        guard active != nil else { return }
        post(active?.add(sample) ?? [])
        guard let movie = active else { return }
        if endsAtOnce {
            finish(.requested)
        } else if let most = movie.order.maximumDuration, movie.duration + interval >= most {
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
        if active == nil, order != nil, reason == .requested, !hasMissedFrames {
            // Its first picture is on the way.
            endsAtOnce = true
            return
        }
        let (movie, order) = (active.take(), order)
        self.order = nil
        endsAtOnce = false
        // Who hears of the end may begin the next one.
        publish()
        if var movie {
            post(movie.rest(pipeline?.interval ?? 0))
            writer.post(.finish(reason))
        } else if let order {
            let error = MovieError(.noFrames, "the recording ended before its first picture")
            writer.post(.refuse(order.id, error))
        }
    }

    private func publish() {
        if boundary.isAbandoned { return }
        let (isUnderWay, pending) = (active != nil || order != nil, order?.id)
        let encoderName = pipeline?.encoderName
        mailbox.withProgress { progress in
            progress.isUnderWay = isUnderWay
            progress.pending = pending
            progress.isPaused = active?.isPaused ?? false
            progress.duration = active?.duration ?? 0
            progress.bytes = active?.bytes ?? 0
            progress.preRoll = ring.length
            progress.preRollBytes = ring.bytes
            if let encoderName { progress.encoderName = encoderName }
        }
    }
}
