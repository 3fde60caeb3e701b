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
    /// Where the movie goes on with its next key frame.
    private var successor: MovieOrder?
    private var closing = ClosingMovies()
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
    }

    private mutating func obey(_ command: MovieMailbox.Command) {
        switch command {
        case .streamStarted(let new):
            let isSame = stream?.description.frame == new.description.frame
            if !isSame {
                finish(.cameraLost)
                forget()
            }
            // A movie is turned as it was at its start, and as steady.
            let goesOn = isSame && (active != nil || order != nil)
            if isSame, !goesOn, stream?.isStabilized != new.isStabilized { forget() }
            stream = MovieStream(
                description: new.description,
                rotation: goesOn ? stream?.rotation ?? new.rotation : new.rotation,
                isStabilized: goesOn ? stream?.isStabilized ?? false : new.isStabilized)
        case .streamStopped(let willRestart):
            if willRestart { break }
            finish(.cameraLost)
            close()
            forget()
            stream = nil
        case .soundChanged:
            if sound == nil || mailbox.listener?.format == sound?.format { break }
            close()
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
        case .goOn(let order):
            if active == nil {
                writer.post(
                    .refuse(order.id, MovieError(.noFrames, "nothing is being recorded")))
            } else {
                successor = order
                pipeline?.forceKeyFrame()
            }
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
        let waitsForSound = !closing.isEmpty
        // Within the lock: a start in between counts.
        mailbox.withProgress { [mailbox] progress in
            let isWanted =
                hasStream && !progress.isClosed && (keepsPreRoll || progress.isRecording)
            mailbox.wantsFrames.store(isWanted, ordering: .releasing)
            mailbox.listener?.setWanted(isWanted || waitsForSound)
        }
    }

    /// What was compressed of another stream is of no use.
    private mutating func forget() {
        release()
        ring.clear()
        soundRing.clear()
    }

    /// A device may keep who lets it go.
    private mutating func release() {
        var former = pipeline.take()
        guard former != nil else { return }
        boundary.enter()
        former = nil
        _ = boundary.leave()
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
            encode(lease, stream)
        }
        publish()
    }

    private mutating func encodeSound() {
        guard let format = mailbox.listener?.format else { return }
        for chunk in mailbox.takeSound() where chunk.format == format {
            if active == nil, order == nil, closing.isEmpty, settings.preRoll == 0 { continue }
            // Pictures without their sound are better than none.
            guard let pipeline = try? sound ?? SoundPipeline(format) else { return }
            sound = pipeline
            guard let packets = try? pipeline.encode(chunk) else {
                sound = nil
                continue
            }
            for packet in packets {
                soundRing.add(packet)
                addSound(packet)
            }
        }
    }

    private mutating func addSound(_ packet: EncodedSample) {
        while !closing.isEmpty {
            if closing.addSound(packet) { return }
            closeFirst()
        }
        active?.addSound(packet)
    }

    private mutating func encode(_ lease: consuming FrameLease, _ stream: MovieStream) {
        let info = lease.info
        if pipeline == nil, info.timestamp < retryTime { return }
        if active == nil, order == nil, settings.preRoll == 0 { return }
        do throws(MovieError) {
            guard let pipeline = try pipeline(for: stream) else { return }
            let mayBegin = order.map { self.mayBegin($0, at: info.timestamp) } ?? false
            if mayBegin, ring.length == 0 { pipeline.forceKeyFrame() }
            guard let encoded = try stay(in: pipeline, with: lease.another()) else { return }
            guard let samples = encoded.samples else {
                mailbox.undecodable.add(1, ordering: .relaxed)
                if mayBegin { miss() }
                return
            }
            mailbox.encoded.add(samples.count, ordering: .relaxed)
            // It refers to a frame that has not come here.
            if samples.isEmpty, pipeline.isOfCamera { mailbox.dropped.add(1, ordering: .relaxed) }
            for sample in samples {
                beginIfOrdered(pipeline, sample, lease)
                goOnIfOrdered(pipeline, sample, lease)
                add(sample, pipeline.interval)
            }
            if mayBegin { miss() }
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

    /// - Returns: `nil` where the thread has been given up meanwhile.
    private mutating func pipeline(
        for stream: MovieStream
    ) throws(MovieError) -> EncodingPipeline? {
        if let pipeline { return pipeline }
        // Reading it from a card takes long, and is no standstill.
        _ = try? VideoEncoder.load()
        var settings = settings
        settings.isStabilized = stream.isStabilized
        mailbox.moved.store(Clock.monotonic, ordering: .relaxed)
        boundary.enter()
        let made = Result { () throws(MovieError) in
            try EncodingPipeline(stream.description, settings, mailbox.refusals)
        }
        guard boundary.leave() else { return nil }
        pipeline = try made.get()
        publish()
        return pipeline
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
        _ pipeline: EncodingPipeline, _ sample: EncodedSample, _ lease: borrowing FrameLease
    ) {
        guard let order, mayBegin(order, at: sample.time) else { return }
        let earlier = ring.samples(for: order.moment)
        guard sample.isKeyFrame || !earlier.isEmpty else { return }
        // Before its first samples come: the movie has to know that there will be any.
        if let format = mailbox.listener?.format, sound == nil {
            sound = try? SoundPipeline(format)
        }
        let origin = earlier.first?.time ?? sample.time
        guard let beginning = beginning(order, origin, pipeline, lease) else { return }
        self.order = nil
        close()
        writer.post(.begin(beginning))
        var movie = ActiveMovie(
            order: order, origin: origin, packetDuration: sound?.packetDuration)
        for packet in soundRing.all { movie.addSound(packet) }
        for sample in earlier { post(movie.add(sample)) }
        active = movie
        // The order is the writer's now, whatever becomes of this thread.
        publish()
    }

    private func beginning(
        _ order: MovieOrder, _ origin: Int64, _ pipeline: EncodingPipeline,
        _ lease: borrowing FrameLease
    ) -> MovieWriter.Beginning? {
        guard let track = pipeline.track((stream?.rotation ?? .none) + order.rotation) else {
            return nil
        }
        return MovieWriter.Beginning(
            order: order, origin: origin, tracks: [track] + (sound.map { [$0.track] } ?? []),
            clocks: MomentClocks(at: origin), thumbnail: pipeline.thumbnail(of: lease))
    }

    /// Begins the next file of a movie with a key frame. No picture and no sound is in none of the two, or in both.
    private mutating func goOnIfOrdered(
        _ pipeline: EncodingPipeline, _ sample: EncodedSample, _ lease: borrowing FrameLease
    ) {
        guard sample.isKeyFrame, let order = successor, var movie = active, !movie.isPaused,
            let next = beginning(order, sample.time, pipeline, lease)
        else { return }
        successor = nil
        let (end, later) = movie.split(at: sample.time)
        conclude(ClosingMovies.Closing(movie: movie, end: end, reason: .continued, next: next))
        var new = ActiveMovie(
            order: order, origin: sample.time, packetDuration: sound?.packetDuration)
        for packet in later { new.addSound(packet) }
        active = new
        if !later.isEmpty { close() }
        publish()
    }

    /// Waits for a movie's last sound, where there is any to come.
    private mutating func conclude(_ movie: ClosingMovies.Closing) {
        closing.append(movie)
        if sound == nil || movie.movie.isSilent { close() }
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
        if closing.isEmpty { observe() }
    }

    private mutating func add(_ sample: EncodedSample, _ interval: Int64) {
        ring.add(sample)
        guard active != nil else { return }
        let runs = active?.add(sample) ?? []
        if !runs.isEmpty { close() }
        post(runs)
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
        if let successor = successor.take() {
            let error = MovieError(.noFrames, "the recording ended before it went on there")
            writer.post(.refuse(successor.id, error))
        }
        endsAtOnce = false
        // Who hears of the end may begin the next one.
        publish()
        if let movie {
            let end = movie.end(pipeline?.interval ?? 0)
            conclude(ClosingMovies.Closing(movie: movie, end: end, reason: reason, next: nil))
            if !reason.isOrderly { close() }
            if settings.preRoll == 0, pipeline?.isForOneMovie == true { release() }
        } else if let order {
            let error = MovieError(.noFrames, "the recording ended before its first picture")
            writer.post(.refuse(order.id, error))
        }
    }

    private func publish() {
        if boundary.isAbandoned { return }
        let (isUnderWay, pending) = (active != nil || order != nil, order?.id)
        let promised = closing.promised + (successor.map { [$0.id] } ?? [])
        let encoderName = pipeline?.encoderName
        mailbox.withProgress { progress in
            progress.isUnderWay = isUnderWay
            progress.pending = pending
            progress.promised = promised
            progress.isPaused = active?.isPaused ?? false
            progress.duration = active?.duration ?? 0
            progress.bytes = active?.bytes ?? 0
            progress.preRoll = ring.length
            progress.preRollBytes = ring.bytes
            if let encoderName { progress.encoderName = encoderName }
        }
    }
}
