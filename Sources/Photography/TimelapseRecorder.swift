// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
internal import Devices
internal import FoundationEssentials
internal import Kiosk
package import Library
package import LibraryService
internal import LinuxIO
internal import Logging
internal import Media
package import Recording
package import Settings
internal import VitrineKit

/// Makes a movie of one frame per interval, one timelapse at a time. While the camera is away, and
/// during the daily pause, nothing is added and the movie stays open. Every added picture is safe
/// at once.
///
///     idle ──start──▶ running ──stop, its duration, a full disk──▶ idle ──(always)──▶ running
package actor TimelapseRecorder {
    private struct Plan: Sendable {
        /// Nanoseconds between pictures.
        var interval: Int64
        /// Nanoseconds after which the timelapse ends; `nil` for never.
        var duration: Int64?
        /// Nanoseconds for which the movie shows a picture.
        var frameInterval: Int64
        var pause: DailyPeriod?

        init(_ settings: TimelapseSettings) {
            interval = Int64(settings.intervalSeconds * 1e9)
            duration = settings.durationSeconds > 0 ? Int64(settings.durationSeconds * 1e9) : nil
            frameInterval = Int64(1e9 / settings.playbackRate)
            pause = settings.pause
        }

        /// Whether the daily pause is now. A clock that may be wrong causes no pause.
        func isPause() -> Bool {
            guard let pause, let second = Clock.secondOfDay else { return false }
            return pause.contains(secondOfDay: second)
        }
    }

    private struct Run {
        var pictures = 0
        var missed = 0
        var isPaused = false
        /// Whether nothing is reported before the first picture, because the last attempt failed.
        var isQuiet: Bool
        let begin = Clock.monotonic
        let task: Task<Asset?, Never>
    }

    /// The delay before a permanent timelapse begins again; it doubles after each failure.
    private static let retry = Duration.seconds(10)
    private static let mostDoublings = 6

    private let photos: PhotoOutput
    private let library: LibrarySupervisor
    private let settings: MovieSettings
    private let configuration: MovieRecorder.Configuration
    private let isPermanent: Bool
    private let report: Photographer.Report
    private let log = Logger(label: "timelapse")
    private var run: Run?
    private var isStopping = false
    private var isClosed = false
    private var restarting: Task<Void, Never>?
    /// Consecutive failures.
    private var failures = 0
    /// The configured name of the movie's camera.
    private var camera = ""
    /// The claim on the picture that is due.
    private var claim: FrameClaim?
    private let plan: Plan
    private nonisolated let (toggles, toggleInput) = AsyncStream.makeStream(of: String.self)

    /// - Parameter report: tells the kiosk; called in order.
    package init(
        _ photos: PhotoOutput, _ library: LibrarySupervisor, _ settings: MovieSettings,
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

    package var status: StatusReport.Timelapse {
        guard let run else { return StatusReport.Timelapse() }
        return StatusReport.Timelapse(
            active: true, paused: run.isPaused, pictures: run.pictures, missed: run.missed,
            seconds: Double((Clock.monotonic - run.begin) / 1_000_000) / 1000)
    }

    package var isRunning: Bool { run != nil }
    private var isEnding: Bool { run != nil && isStopping }

    /// Begins or ends a timelapse soon, for a button. Any thread.
    package nonisolated func toggle(session: String) { toggleInput.yield(session) }

    /// Follows ``toggle(session:)`` until the task is cancelled. A bracket blocks presses
    /// (`isBlocked`).
    package func run(while isBlocked: @Sendable () -> Bool) async {
        for await session in toggles {
            // A press while a timelapse ends wants no other.
            if isEnding || isBlocked() { continue }
            if isRunning {
                Task { await self.stop() }
            } else {
                try? await start(session: session)
            }
        }
    }

    /// Begins the permanent timelapse if one is configured, once there is a library.
    package func begin() async {
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

    /// Begins a timelapse. Throws 75 if one runs, or if the appliance is stopping.
    /// - Parameters:
    ///   - interval: seconds between pictures; `nil` for the configured ones.
    ///   - duration: seconds until it ends, 0 for never; `nil` for the configured ones.
    ///   - byItself: whether nobody waits for it, so that repeated failures are reported once.
    package func start(
        interval: Double? = nil, duration: Double? = nil, session: String? = nil,
        byItself: Bool = false
    ) async throws(CommandError) {
        if isClosed { throw CommandError.stopping }
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

    /// Ends the running timelapse; returns its newest asset, `nil` if there is none.
    @discardableResult
    package func stop() async -> Asset? {
        guard let run else { return nil }
        isStopping = true
        run.task.cancel()
        // A camera that does not answer must not delay the end.
        if let claim { photos.abandon(claim) }
        return await run.task.value
    }

    /// Ends the running timelapse for good. If the program ends before the movie is in the library,
    /// the next open of the library adopts it.
    package func close() async {
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
            // Pictures of another size, and those beyond the largest file, need another movie.
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

    /// Adds pictures until the movie ends; returns why it ends.
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
            // Pictures that are late are left out.
            let late = max(0, Clock.monotonic - due)
            due += plan.interval * (late / plan.interval + 1)
        }
        return isClosed ? .stopping : .requested
    }

    /// Adds one picture; returns why the movie has to end, `nil` if it continues.
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
            // The timelapse continues in another file.
            let refusal = error.underlying as? SystemCallError
            if refusal?.isFileTooLarge == true { return .maximumFileSize }
            log.error("cut short", metadata: ["reason": "\(error)"])
            return error.code == .storage ? .storageFull : .encoderFailed
        } catch {
            // The timelapse continues when the camera is back.
            run?.missed += 1
            return nil
        }
    }

    /// Returns early if the task is cancelled.
    private func sleep(until time: Int64) async {
        let wait = time - Clock.monotonic
        if wait > 0 { try? await Task.sleep(for: .nanoseconds(wait)) }
    }
}
