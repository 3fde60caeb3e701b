// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import Media
internal import Synchronization

/// The beginning, continuation and end of ordered movies.
extension MovieLoop {
    /// Notes a frame with which the ordered movie could have begun and did not. Fails the order if
    /// its end was requested already.
    mutating func frameSkipped() {
        guard active == nil, let endsAtOnce = ordered?.endsAtOnce else { return }
        ordered?.hasMissedFrames = true
        if endsAtOnce { finish(.requested) }
    }

    mutating func refuse(_ error: MovieError) {
        guard let ordered = ordered.take() else { return }
        publish()
        writer.post(.refuse(ordered.order.id, error))
        refuseSuccessor("there was no recording to continue")
        applyStream()
    }

    /// Whether the ordered movie may begin at this time. Encoders keep times to the microsecond.
    func mayBegin(_ order: MovieOrder, at time: Int64) -> Bool {
        active == nil && (time >= order.moment / 1000 * 1000 || ring.length > 0)
    }

    /// Returns the samples from before the order's moment with which its movie begins.
    func preRoll(of order: MovieOrder) -> [EncodedSample] {
        ring.samples(
            for: order.moment, shorterThan: order.maximumDuration,
            smallerThan: order.maximumFileSize)
    }

    /// Begins the ordered movie with its pre-roll, or with `sample`, which is not yet in the
    /// pre-roll, if that is a key frame.
    mutating func beginIfOrdered(
        _ sample: EncodedSample, _ lease: borrowing FrameLease
    ) {
        guard let ordered, mayBegin(ordered.order, at: sample.time) else { return }
        let order = ordered.order
        let earlier = preRoll(of: order)
        guard sample.isKeyFrame || !earlier.isEmpty else { return }
        sound.begin(mailbox.listener?.format)
        let origin = earlier.first?.time ?? sample.time
        guard let beginning = beginning(order, origin, lease, isFirst: earlier.isEmpty) else {
            return
        }
        close()
        self.ordered = nil
        writer.post(.begin(beginning))
        var movie = ActiveMovie(
            order: order, origin: origin, packetDuration: sound.packetDuration,
            endsAtOnce: ordered.endsAtOnce)
        for packet in sound.preRoll { movie.addSound(packet) }
        for sample in earlier { post(movie.add(sample)) }
        if ordered.beginsPaused { movie.pause() }
        active = movie
        // The order is with the writer now, even if this thread is abandoned.
        publish()
    }

    /// Returns the beginning of a file; `nil` if the encoder does not know its track yet. The file
    /// gets a thumbnail of the frame if that is its first picture (`isFirst`).
    private func beginning(
        _ order: MovieOrder, _ origin: Int64, _ lease: borrowing FrameLease, isFirst: Bool = true
    ) -> MovieWriter.Beginning? {
        guard let track = encoder.track(turned: order.rotation) else { return nil }
        return MovieWriter.Beginning(
            order: order, origin: origin, tracks: [track] + (sound.track.map { [$0] } ?? []),
            clocks: ClockReadings(at: origin),
            thumbnail: isFirst ? encoder.thumbnail(of: lease) : nil)
    }

    /// Continues the movie in the ordered file, if `sample` is a key frame. Every picture and every
    /// packet of sound is in exactly one of the two files.
    mutating func splitIfOrdered(
        _ sample: EncodedSample, _ lease: borrowing FrameLease
    ) {
        guard sample.isKeyFrame, let order = successor, var movie = active, movie.hasPictures,
            !movie.isPaused, let next = beginning(order, sample.time, lease)
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

    /// Lets a movie wait for its last sound, or completes it at once if no sound is to come.
    private mutating func conclude(_ movie: ClosingMovies.Closing) {
        closing.append(movie)
        let heard = mailbox.heard.load(ordering: .relaxed)
        if sound.isDumb(heard: heard) || movie.movie.isSilent { close() }
    }

    /// Completes all movies that have their last picture, without waiting for more sound.
    mutating func close() {
        while !closing.isEmpty { closeFirst() }
    }

    mutating func closeFirst() {
        var first = closing.removeFirst()
        post(first.movie.rest(until: first.end))
        writer.post(.finish(first.reason, first.error))
        if let next = first.next { writer.post(.begin(next)) }
        guard closing.isEmpty else { return }
        applyStream()
        observe()
        releaseIfIdle()
    }

    /// Releases an idle encoder that is for one movie; a movie ordered before the last sound keeps
    /// it. Completed movies are with the writer already, even if the device blocks.
    private mutating func releaseIfIdle() {
        let isIdle = active == nil && ordered == nil && closing.isEmpty && settings.preRoll == 0
        if isIdle, encoder.isForOneMovie { encoder.release() }
    }

    mutating func add(_ sample: EncodedSample) {
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
        } else if mailbox.unwritten.load(ordering: .relaxed) > settings.mostUnwrittenBytes {
            finish(.storageTooSlow)
        }
    }

    private func post(_ runs: [MovieRun]) {
        if runs.isEmpty { return }
        let bytes = runs.reduce(0) { $1.samples.reduce($0) { $0 + $1.bytes.count } }
        mailbox.unwritten.add(bytes, ordering: .relaxed)
        writer.post(.append(runs, bytes: bytes))
    }

    mutating func finish(_ reason: MovieStopReason, _ error: MovieError? = nil) {
        if active == nil, reason == .requested, ordered?.hasMissedFrames == false {
            // The movie ends with its first picture, which is about to come.
            ordered?.endsAtOnce = true
            return
        }
        let (movie, ordered) = (active.take(), ordered.take())
        refuseSuccessor("the recording ended before it continued in this file")
        // Published first: a client that hears of the end may begin the next movie.
        publish()
        if let movie {
            let end = movie.end(encoder.interval)
            conclude(
                ClosingMovies.Closing(
                    movie: movie, end: end, reason: reason, error: error, next: nil))
            if !reason.isOrderly { close() }
        } else if let ordered {
            let ended = MovieError(.noFrames, "the recording ended before its first picture")
            writer.post(.refuse(ordered.order.id, error ?? ended))
        }
        applyStream()
        observe()
        releaseIfIdle()
    }

    mutating func refuseSuccessor(_ reason: String) {
        guard let successor = successor.take() else { return }
        writer.post(.refuse(successor.id, MovieError(.noFrames, reason)))
    }
}
