// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

struct Shot: Sendable {
    enum Stage: Sendable {
        /// The capture is not ordered yet.
        case counting
        /// The capture is ordered, and given up if it is unanswered at `until`.
        case capturing(until: Int64)
        case saving(until: Int64)
    }

    let id: ShotIdentifier
    let session: SessionNumber
    let countdown: Countdown
    let kind: ShotKind
    let photo: CapturePhotoSettings
    /// The frame reserved at the shutter moment, until the capture is ordered.
    var reservation: FrameReservation?
    /// When the person begins to wait for the photo.
    let orderTime: Int64
    var stage = Stage.counting
    let lightTime: Int64
    /// Whether the flash was turned on for the shot, or must not be.
    var flashed: Bool

    var moment: Int64 { countdown.moment }
    var isCounting: Bool { if case .counting = stage { true } else { false } }
    /// Whether digits are running. A shot without digits is counting while it waits for its light.
    var isCountingDown: Bool { isCounting && countdown.seconds > 0 }
    /// When a burst's or loop's capture is given up; `nil` for photos and outside of capturing.
    var captureLimit: Int64? {
        if case .capturing(let until) = stage, kind != .photo { until } else { nil }
    }
    var isCapturing: Bool { if case .capturing = stage { true } else { false } }
}

extension KioskMachine {
    /// The face of the running countdown to a photo or movie; `nil` if none runs.
    var countdown: Scene.Countdown? {
        let countdowns = shots.lazy.map(\.countdown) + (recording.map { [$0.countdown] } ?? [])
        return countdowns.lazy.compactMap { [now] in $0.face(at: now)?.countdown }.first
    }

    mutating func accept(_ press: KioskPress) -> PressVerdict {
        session.touch(at: now)
        switch press.action {
        case .cancel,
            .primary where countdown != nil,
            .secondary where countdown != nil || review != nil:
            return cancel()
        case .photo, .primary: return begin(.photo, press)
        case .burst:
            return begin(.burst(press.burstCount ?? configuration.burstCount), press)
        case .loop: return begin(.loop(seconds: configuration.loopSeconds), press)
        case .timelapse: return toggleTimelapse()
        case .switchCamera: return switchCamera()
        case .record, .beginRecording: return record(press)
        case .browse: return browse()
        case .next: return turnView(by: 1)
        case .previous: return turnView(by: -1)
        case .secondary, .endSession: return endSession()
        case .none: return .ignored
        }
    }

    /// Why the camera cannot be switched now, in plain words; `nil` if it can. Everything in
    /// progress carries the name of its camera.
    public var obstacleToAnotherCamera: String? {
        if let occupation { return occupation }
        if recording != nil { return "A clip is being recorded." }
        return shots.isEmpty ? nil : "A photo is being taken or saved."
    }

    /// Switches to the next camera, even if the current one has a problem.
    private mutating func switchCamera() -> PressVerdict {
        guard configuration.hasOtherCamera else { return .ignored }
        if let reason = obstacleToAnotherCamera {
            counts.busy += 1
            return .busy(reason: reason)
        }
        review = nil
        commands.append(.switchCamera)
        return .performed
    }

    private mutating func toggleTimelapse() -> PressVerdict {
        // A running timelapse can be ended whatever else is wrong.
        if !isTimelapseRunning, let refusal = refusalOfMovie() { return refusal }
        commands.append(.toggleTimelapse(session: session.begin(at: now)))
        return .performed
    }

    mutating func timelapse(_ news: TimelapseNews) {
        isTimelapseRunning = news == .begun
        let texts = configuration.texts
        switch news {
        case .begun: showNotice(.success, texts.timelapseBegun)
        case .saved(let isCut):
            showNotice(
                isCut ? .failure : .success, isCut ? texts.timelapseCut : texts.timelapseSaved)
        case .failed: showNotice(.failure, texts.timelapseFailed)
        }
    }

    private mutating func endSession() -> PressVerdict {
        let wasBusy = cancel() == .performed
        guard session.end() || wasBusy else { return .ignored }
        showNotice(.progress, configuration.texts.sessionEnded)
        return .performed
    }

    /// Why nothing can be taken until a problem is gone, in plain words; `nil` if something can.
    public var obstacle: String? {
        if let fault { return configuration.texts.fault(fault).sentences }
        if isStopping { return "The kiosk is stopping." }
        return started ? nil : "The camera is starting."
    }

    /// Returns the refusal of a press, and counts it; `nil` if something can be taken.
    mutating func refusal() -> PressVerdict? {
        if let obstacle {
            // The screen answers this press with the fault, not with the last photo.
            if fault != nil { review = nil }
            counts.impossible += 1
            return .impossible(reason: obstacle)
        }
        if let occupation {
            counts.busy += 1
            showNotice(.progress, configuration.texts.wait)
            return .busy(reason: occupation)
        }
        if countdown != nil {
            counts.busy += 1
            return .busy(reason: "A countdown is running.")
        }
        return nil
    }

    private mutating func begin(_ kind: ShotKind, _ press: KioskPress) -> PressVerdict {
        let isMovie = if case .loop = kind { true } else { false }
        if let refusal = isMovie ? refusalOfMovie() : refusal() { return refusal }
        // Only one burst or loop runs at a time, because their frames and photos fill the memory.
        let isFull = shots.count >= configuration.maximumInFlight
        if isFull || kind != .photo && shots.contains(where: { $0.kind != .photo }) {
            counts.busy += 1
            showNotice(.progress, configuration.texts.wait)
            return .busy(
                reason: isFull
                    ? "\(shots.count) photos are still being saved."
                    : "Another burst or loop is still being saved.")
        }
        var countdown = Countdown(
            seconds: press.countdownSeconds ?? configuration.countdownSeconds,
            // A burst needs consecutive frames, so it starts with a current one.
            from: press.timestamp, at: now, reachesBack: kind == .photo)
        let photo = press.photo ?? configuration.photo
        // A loop gets no flash: the light could go off visibly in the middle.
        let isLit = photo.flashMode != .off && !isMovie
        if countdown.seconds == 0, configuration.hasFlash, isLit {
            countdown = Countdown(at: now + flashLead)
        }
        lastShot += 1
        let shot = Shot(
            id: ShotIdentifier(number: lastShot), session: session.begin(at: now),
            countdown: countdown, kind: kind, photo: photo,
            reservation: countdown.moment == press.timestamp ? press.reservation : nil,
            orderTime: max(countdown.moment, now), lightTime: lightTime(of: countdown),
            flashed: !isLit)
        counts.accepted += 1
        shots.append(shot)
        review = nil
        notice = nil
        return .accepted(shot.id)
    }

    /// Returns when the flash goes on. The photo's moment does not depend on it.
    private func lightTime(of countdown: Countdown) -> Int64 {
        let usual = countdown.moment - flashLead
        return configuration.flashLightsCountdown && countdown.seconds > 0 ? min(now, usual) : usual
    }

    mutating func cancel() -> PressVerdict {
        let wasCounting = cancelShots(where: \.isCounting)
        if cancelRecording() || wasCounting { return .performed }
        guard review != nil else { return .ignored }
        review = nil
        return .performed
    }

    /// Cancels every shot that `isUnwanted` selects; returns whether there was one.
    @discardableResult
    mutating func cancelShots(where isUnwanted: (Shot) -> Bool) -> Bool {
        var wasCounting = false
        while let index = shots.firstIndex(where: isUnwanted) {
            counts.cancelled += 1
            end(index, .cancelled)
            wasCounting = true
        }
        if wasCounting { showNotice(.progress, configuration.texts.cancelled) }
        return wasCounting
    }

    /// Lights the flash, orders captures and gives up shots, each when it is due.
    mutating func advanceShots() {
        for index in shots.indices {
            let shot = shots[index]
            let isWaiting = if case .saving = shot.stage { false } else { true }
            if isWaiting && !shot.flashed && now >= shot.lightTime {
                shots[index].flashed = true
                flash.turnOn(for: shot.id, from: max(now, shot.moment - flashLead))
                // The light goes on before the capture, whose frame must be exposed in it.
                reportFlash()
            }
            if shot.isCounting && now >= shot.moment - captureLead {
                // A shot behind a burst is answered only after the burst.
                let before = shots[..<index].compactMap(\.captureLimit).max() ?? 0
                let until =
                    max(now, shot.moment, before) + nanoseconds(configuration.captureLimitSeconds)
                    + shot.kind.patience
                shots[index].stage = .capturing(until: until)
                commands.append(
                    .capture(
                        CaptureOrder(
                            shot.id, shot.kind, moment: shot.moment, session: shot.session,
                            photo: shot.photo, reservation: shots[index].reservation.take())))
            }
        }
        for shot in shots {
            switch shot.stage {
            case .capturing(let until) where now >= until:
                giveUp(
                    shot.id, reason: "the camera did not answer",
                    notice: configuration.texts.captureFailed)
            case .saving(let until) where now >= until:
                giveUp(
                    shot.id, reason: "the library did not answer",
                    notice: configuration.texts.saveFailed)
            default: break
            }
        }
    }

    private mutating func giveUp(_ id: ShotIdentifier, reason: String, notice: String) {
        counts.unanswered += 1
        commands.append(.abandon(id))
        fail(id, reason: reason, notice: notice)
    }

    mutating func captured(_ id: ShotIdentifier) {
        guard let index = ordered(id), shots[index].isCapturing else { return stray(id) }
        counts.captured += 1
        shots[index].stage = .saving(until: saveLimit)
        endFlash(of: shots[index])
    }

    mutating func captureFailed(_ id: ShotIdentifier, _ reason: String) {
        guard let index = ordered(id), shots[index].isCapturing else { return stray(id) }
        fail(id, reason: reason, notice: configuration.texts.captureFailed)
    }

    /// Ends a shot as saved. It counts as captured even if the `captured` answer is still to come.
    mutating func saved(_ id: ShotIdentifier, _ photo: SavedPhoto) {
        guard let index = ordered(id) else { return stray(id) }
        let kind = shots[index].kind
        if shots[index].isCapturing { counts.captured += 1 }
        counts.saved += 1
        end(index, .saved(photo))
        libraryAnswered()
        // Nothing may cover a running countdown or a view.
        guard countdown == nil, viewing == nil else { return }
        if case .loop = kind {
            showNotice(.success, configuration.texts.movieSaved)
            review(clip: photo)
        } else if configuration.review > 0 && id > lastReviewed {
            lastReviewed = id
            review = TimedReview(photo: photo, until: now + configuration.review)
        } else if review == nil {
            showNotice(.success, configuration.texts.saved)
        }
    }

    mutating func saveFailed(_ id: ShotIdentifier, _ reason: String) {
        guard let index = ordered(id) else { return stray(id) }
        if shots[index].isCapturing { counts.captured += 1 }
        fail(id, reason: reason, notice: configuration.texts.saveFailed)
        libraryAnswered()
    }

    /// Extends the deadlines of all shots being saved: the library saves them one after another.
    mutating func libraryAnswered() {
        for index in shots.indices {
            if case .saving = shots[index].stage { shots[index].stage = .saving(until: saveLimit) }
        }
    }

    private var saveLimit: Int64 { now + nanoseconds(configuration.saveLimitSeconds) }

    mutating func fail(_ id: ShotIdentifier, reason: String, notice: String) {
        guard let index = shots.firstIndex(where: { $0.id == id }) else { return }
        counts.failed += 1
        end(index, .failed(reason: reason))
        showNotice(.failure, notice)
    }

    private mutating func end(_ index: Int, _ result: ShotResult) {
        let shot = shots.remove(at: index)
        if case .saved = result {
            endFlash(of: shot)
        } else {
            flash.end(shot.id, at: now, now: now)
        }
        commands.append(.finished(shot.id, result))
    }

    /// Ends the flash for a captured shot. A frame may be delivered before its own timestamp, so
    /// the light stays on until every frame near the moment is exposed.
    private mutating func endFlash(of shot: Shot) {
        let end = configuration.hasFlash ? max(shot.moment, now) + flashTail : now
        flash.end(shot.id, at: end, now: now)
    }

    private func ordered(_ id: ShotIdentifier) -> Int? {
        shots.firstIndex { $0.id == id && !$0.isCounting }
    }

    private mutating func stray(_ id: ShotIdentifier) {
        if id.number > 0 && id.number <= lastShot {
            counts.repeatedAnswers += 1
        } else {
            counts.unknownAnswers += 1
        }
    }

    /// Shows a message for its time. Only another failure replaces a failure.
    mutating func showNotice(_ kind: Scene.Notice.Kind, _ text: String) {
        if let notice, notice.notice.kind == .failure, kind != .failure { return }
        let seconds =
            kind == .failure ? configuration.failureSeconds : configuration.noticeSeconds
        notice = TimedNotice(
            notice: Scene.Notice(kind, text), until: now + nanoseconds(seconds))
    }
}
