// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import FoundationEssentials
internal import Kiosk
internal import Library
internal import LinuxIO
internal import Logging
internal import Media
internal import Recording
internal import Settings

/// Makes a movie of one frame every so often, one timelapse at a time. While the camera is away, or it is time for a
/// pause, nothing is added and the movie stays open; every picture in it is safe as soon as it is there.
///
///     idle ──start──▶ running ──stop, its duration, a full disk──▶ idle ──(always)──▶ running
actor TimelapseRecorder {
    /// How it is to be taken.
    struct Plan: Sendable {
        /// Nanoseconds.
        var interval: Int64
        /// After which it ends, nanoseconds; `nil` for never.
        var duration: Int64?
        /// Of a picture in the movie, nanoseconds.
        var frameInterval: Int64
        var pause: DailyPause?

        init(_ settings: TimelapseSettings) {
            interval = Int64(settings.intervalSeconds * 1e9)
            duration = settings.durationSeconds > 0 ? Int64(settings.durationSeconds * 1e9) : nil
            frameInterval = Int64(1e9 / settings.playbackRate)
            pause = settings.pause
        }

        /// Whether nothing is to be taken now, by the board's clock: one that may be wrong pauses nothing.
        func isPause() -> Bool {
            guard let pause, Clock.isSynchronized || Clock.hasHardwareClock else { return false }
            let wall = Clock.wall
            let local = wall / 1_000_000_000 + Int64(Clock.utcOffset(at: wall))
            return pause.contains(secondOfDay: local % 86_400)
        }
    }

    /// What runs.
    private struct Run {
        var pictures = 0
        var missed = 0
        var isPaused = false
        /// Until its first picture, after one that failed.
        var isQuiet: Bool
        let begin = Clock.monotonic
        let task: Task<Asset?, Never>
    }

    /// Another one that is to run always begins after this, and after failures later and later.
    private static let retry = Duration.seconds(10)
    private static let mostDoublings = 6

    private let photos: PhotoOutput
    private let library: LibraryKeeper
    private let settings: MovieSettings
    private let configuration: MovieRecorder.Configuration
    private let isPermanent: Bool
    private let report: Photographer.Report
    private let log = Logger(label: "timelapse")
    private var run: Run?
    private var isStopping = false
    private var isClosed = false
    private var restarting: Task<Void, Never>?
    /// In a row.
    private var failures = 0
    /// Of the movie that is made.
    private var camera = ""
    /// That the frame which is due has not come for yet.
    private var claim: FrameClaim?
    private let plan: Plan

    init(
        _ photos: PhotoOutput, _ library: LibraryKeeper, _ settings: MovieSettings,
        _ configuration: MovieRecorder.Configuration, _ timelapse: TimelapseSettings,
        report: @escaping Photographer.Report
    ) {
        self.photos = photos
        self.library = library
        self.settings = settings
        self.configuration = configuration
        plan = Plan(timelapse)
        isPermanent = timelapse.isPermanent
        self.report = report
    }

    var status: StatusReport.Timelapse {
        guard let run else { return StatusReport.Timelapse() }
        return StatusReport.Timelapse(
            active: true, paused: run.isPaused, pictures: run.pictures, missed: run.missed,
            seconds: Double((Clock.monotonic - run.begin) / 1_000_000) / 1000)
    }

    var isRunning: Bool { run != nil }
    /// Whether the one that runs is being finished.
    var isEnding: Bool { run != nil && isStopping }

    /// Begins the one that is to run always, where one is: as soon as there is a library.
    func begin() async {
        guard isPermanent, !isClosed, run == nil else { return }
        guard (try? await library.opened()) != nil else { return beginLater() }
        try? await start(byItself: true)
    }

    private func beginLater() {
        guard isPermanent, !isClosed else { return }
        restarting?.cancel()
        let delay = Self.retry * (1 << min(failures, Self.mostDoublings))
        restarting = Task {
            try? await Task.sleep(for: delay)
            if !Task.isCancelled { await self.begin() }
        }
    }

    /// Begins a timelapse.
    ///
    /// - Parameters:
    ///   - interval: seconds, in place of the configured ones; so `duration`, 0 for never.
    ///   - session: the guest's visit, if it is part of one.
    ///   - byItself: nobody waits for it: that it fails again and again is said once.
    /// - Throws: 75 where one runs already, or the appliance is stopping.
    func start(
        interval: Double? = nil, duration: Double? = nil, session: String? = nil,
        byItself: Bool = false
    ) async throws(CommandError) {
        if isClosed {
            throw CommandError(
                "appliance.stopping", "the appliance is stopping", exit: .unavailable)
        }
        guard run == nil else {
            throw CommandError(
                "timelapse.running", "a timelapse runs already",
                next: "End it: vitrine capture timelapse --stop", exit: .temporary)
        }
        var plan = plan
        if let interval { plan.interval = Int64(interval * 1e9) }
        if let duration { plan.duration = duration > 0 ? Int64(duration * 1e9) : nil }
        isStopping = false
        run = Run(
            isQuiet: byItself && failures > 0,
            task: Task { [plan] in await self.record(plan, session) })
        log.notice("begun", metadata: ["seconds": "\(Double(plan.interval) / 1e9)"])
    }

    /// Ends the one that runs.
    ///
    /// - Returns: its asset; `nil` where nothing came of it, or none runs.
    @discardableResult
    func stop() async -> Asset? {
        guard let run else { return nil }
        isStopping = true
        run.task.cancel()
        // A camera that does not answer is not waited for.
        if let claim { photos.abandon(claim) }
        return await run.task.value
    }

    /// Ends the one that runs, for good. What is not taken in before the program ends the next open of the library takes
    /// in.
    func close() async {
        isClosed = true
        restarting?.cancel()
        await stop()
    }

    private func record(_ plan: Plan, _ session: String?) async -> Asset? {
        if run?.isQuiet != true { await report(.timelapse(.begun)) }
        let begin = Clock.monotonic
        var saved: Asset?
        var failure: (any Error)?
        var nothing: (any Error)?
        var reason = MovieStopReason.requested
        repeat {
            // One of other pictures, or as long as one may be, goes on in a movie of its own.
            let result: Result<Asset, any Error>
            (result, reason) = await movie(plan, session, since: begin)
            switch result {
            case .success(let asset):
                saved = asset
                log.notice(
                    "saved", metadata: ["id": "\(asset.id)", "reason": "\(reason.rawValue)"])
            case .failure(let error as MovieError) where error.code == .noFrames:
                nothing = error
            case .failure(let error):
                failure = error
            }
        } while [.cameraLost, .maximumFileSize].contains(reason) && !isStopping && failure == nil
        let isQuiet = run?.isQuiet == true
        run = nil
        if let failure = failure ?? (saved == nil ? nothing : nil) {
            log.error("no timelapse", metadata: ["reason": "\(failure)"])
            failures += 1
            if !isQuiet { await report(.timelapse(.failed(reason: "\(failure)"))) }
        } else {
            failures = 0
            await report(.timelapse(.saved(isCut: reason.isCut && !isStopping)))
        }
        beginLater()
        return saved
    }

    private func movie(
        _ plan: Plan, _ session: String?, since begin: Int64
    ) async -> (Result<Asset, any Error>, MovieStopReason) {
        var note = NewRecording(at: Clock.monotonic, configuration, session: session)
        note.mediaSubtypes = .timelapse
        var reason = MovieStopReason.storageFull
        do {
            let path = try await library.beginRecording(note)
            let order = configuration.order(
                note, path, at: Clock.monotonic, await configuration.orientation?() ?? .none)
            let movie = FrameMovie(order, settings, frameInterval: plan.frameInterval)
            camera = note.deviceName ?? ""
            reason = await fill(movie, plan, since: begin)
            let finished = try await movie.finish(reason)
            return (.success(try await library.finishRecording(note.finished(finished))), reason)
        } catch {
            try? await library.abandonRecording(note.id)
            return (.failure(error), reason)
        }
    }

    /// Adds pictures until it ends, and answers why.
    private func fill(
        _ movie: FrameMovie, _ plan: Plan, since begin: Int64
    ) async -> MovieStopReason {
        var due = Clock.monotonic
        while !isStopping {
            let end = plan.duration.map { begin + $0 } ?? .max
            await sleep(until: min(due, end))
            if isStopping { break }
            if due >= end { return .maximumDuration }
            let isPaused = plan.isPause()
            run?.isPaused = isPaused
            if !isPaused, let reason = await add(to: movie, at: due) { return reason }
            // What could not be done in time is left out.
            let late = max(0, Clock.monotonic - due)
            due += plan.interval * (late / plan.interval + 1)
        }
        return isClosed ? .stopping : .requested
    }

    /// - Returns: why the movie is to end.
    private func add(to movie: FrameMovie, at moment: Int64) async -> MovieStopReason? {
        do {
            let claim = photos.hold(moment)
            self.claim = claim
            defer { self.claim = nil }
            let frame = try await claim.frame()
            if configuration.camera.id != camera { return .cameraLost }
            let count = await movie.frameCount
            if let reason = try await movie.append(frame) { return reason }
            guard await movie.frameCount > count else {
                run?.missed += 1
                return nil
            }
            run?.pictures += 1
            if run?.isQuiet == true {
                run?.isQuiet = false
                await report(.timelapse(.begun))
            }
            return nil
        } catch let error as MovieError {
            // It goes on in another file.
            let refusal = error.underlying as? SystemCallError
            if refusal?.isFileTooLarge == true { return .maximumFileSize }
            log.error("cut short", metadata: ["reason": "\(error)"])
            return error.code == .storage ? .storageFull : .encoderFailed
        } catch {
            // The camera is away: it goes on when that is back.
            run?.missed += 1
            return nil
        }
    }

    /// Returns earlier when it is cancelled.
    private func sleep(until time: Int64) async {
        let wait = time - Clock.monotonic
        if wait > 0 { try? await Task.sleep(for: .nanoseconds(wait)) }
    }
}
