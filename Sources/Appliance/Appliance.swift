// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import CommandProtocol
internal import Controls
internal import Display
internal import FoundationEssentials
internal import Health
internal import Kiosk
internal import Library
internal import LinuxIO
internal import Logging
internal import Media
internal import Recording
public import Settings

/// The kiosk camera: joins the stages and owns their order of start and end.
///
///     Controls ──press──▶ KioskRunner ──capture──▶ Photographer ──▶ LibraryKeeper
///                            │    ▲ problems            ▲ frames
///                            ▼    │                     │
///                        SceneShow ──overlay──▶ Screen ◀── CaptureSession
public actor Appliance {
    let board: Board
    let session: CaptureSession
    let screen: Screen
    let photoOutput = PhotoOutput()
    let claims: FrameClaims
    let buttons: ButtonBoard
    let kiosk: KioskRunner
    let show: SceneShow
    let library: LibraryKeeper
    let processor: PhotoProcessor
    let readyLamp: OutputLine?
    let flash: OutputLine?
    let version: String
    let log = Logger(label: "appliance")
    let startTime = Clock.monotonic

    private let photographer: Photographer
    private let relay: KioskRelay
    private var problems = ProblemList()
    /// Commands that pressed a button and wait for the verdict, by the press's time.
    private var verdictWaiters: [Int64: CheckedContinuation<PressVerdict?, Never>] = [:]
    private var hasStartedCamera = false
    /// The display that showed the camera's stream has gone.
    private var previewIsGone = false
    /// A stream that started unseen was agreed anew for the display that came meanwhile, once.
    private var hasTriedAgain = false
    private(set) var display: (connector: String, mode: String)?
    private var tasks: [Task<Void, Never>] = []
    /// Waits before the stream is agreed anew for a display that could not show it.
    private var retrying: Task<Void, Never>?
    private var retryDelay = shortestRetryDelay
    private static let shortestRetryDelay = 10
    /// Ends when every press has been answered.
    private var pressing: Task<Void, Never>?
    private var monitor: DeviceMonitor?
    private let server: ControlServer

    /// Builds everything and takes the screen; cameras and buttons wait for ``start()``.
    ///
    /// - Throws: a `SystemCallError` with the socket's path where another appliance has it: this one
    ///   then touches nothing. Else when the process is out of descriptors or a button cannot exist.
    public init(_ settings: Settings, version: String, socket: String) throws {
        let relay = KioskRelay()
        server = try ControlServer(path: socket, version: version) { request, _ in
            guard let appliance = relay.appliance else {
                throw CommandError("stopping", "the appliance is stopping", exit: .unavailable)
            }
            return try await appliance.answer(request)
        }
        let board = Board(settings: settings)
        let screen = try Screen(gravity: board.gravity, open: board.openDisplay)
        let show = SceneShow(screen: screen, gravity: board.gravity)
        let processor = try PhotoProcessor(board.photoSettings(version: version))
        let library = LibraryKeeper(
            path: settings.library.path,
            report: { problems in await relay.appliance?.libraryProblems(problems) },
            open: { () async throws(LibraryError) in
                try await AssetLibrary.open(
                    at: settings.library.path,
                    reserveMegabytes: settings.library.reserveMegabytes)
            })
        let device = board.captureInput.device.uniqueID
        let photographer = Photographer(
            processor: processor,
            save: { still in
                let asset = try await library.add(FinishedPhoto(still, deviceName: device))
                if let review = still.review { await show.keep(review, for: asset.id.uuidString) }
                return asset
            },
            report: { event in _ = await relay.kiosk?.handle(event) })
        let claims = FrameClaims(photoOutput)
        let countsDown = settings.display.countdownSeconds > 0
        self.board = board
        self.relay = relay
        self.screen = screen
        self.show = show
        self.processor = processor
        self.library = library
        self.photographer = photographer
        self.claims = claims
        self.version = version
        session = try CaptureSession()
        readyLamp = board.readyLamp
        flash = board.flash
        buttons = try ButtonBoard(board.buttons) { event in
            guard event.phase == .press else { return }
            // The frame is claimed here, on the button's thread, before anybody else wakes up.
            let takesPhoto = settings.action(for: event.name) == .photo
            if takesPhoto && !countsDown { claims.hold(event.timestamp) }
            relay.presses.yield(event)
        }
        let (lamp, flash) = (readyLamp, flash)
        kiosk = KioskRunner(board.kioskConfiguration) { command in
            switch command {
            case .capture(let shot, let moment):
                photographer.take(Photographer.Order(shot: shot, claim: claims.take(moment)))
            case .show(let scene): relay.scenes.yield(scene)
            case .readyLamp(let isOn): lamp?.set(isOn)
            case .flash(let isOn): flash?.set(isOn)
            case .finished: break
            }
        }
    }

    /// The board's name, as in status.
    public nonisolated var boardName: String { board.name }

    /// Starts everything. What is missing is a state, not an error.
    public func start() async throws {
        relay.connect(self, kiosk)
        log.notice("starting", metadata: ["version": "\(version)", "board": "\(board.name)"])
        observe(screen.events) { await $0.displayChanged($1) }
        observe(relay.sceneStream) { await $0.show.show($1) }
        observe(await session.notifications()) { await $0.cameraChanged($1) }
        monitor = try DeviceMonitor(subsystems: ["video4linux", "drm", "gpio", "input"]) {
            [relay] event in Task { await relay.appliance?.hotplug(event) }
        }
        let preview = PreviewOutput(target: screen)
        try await session.configure { [board, photoOutput] session in
            try board.configure(&session, photos: photoOutput)
            try session.addOutput(preview)
            try session.withConnection(to: preview) { connection throws(CaptureError) in
                try connection.setVideoMirrored(board.settings.display.mirror)
            }
        }
        await kiosk.handle(.tick)
        // The camera starts with the display, so that the path is agreed once; without one, soon.
        tasks.append(
            Task { [weak self] in
                try? await Task.sleep(for: .seconds(1))
                await self?.startCamera()
            })
        // Before anybody can press: what is accepted can be kept, or is refused with the reason.
        await library.start()
        pressing = observe(relay.pressStream) { await $0.pressed($1) }
        buttons.start()
        server.start()
        let statistics = screen.statistics
        tasks.append(Task { await Watchdog().run { statistics.lastHeartbeat } })
        ServiceManager.ready()
    }

    /// Ends everything in the order in which frames flow: nothing that was accepted is lost.
    public func stop() async {
        ServiceManager.stopping()
        log.notice("stopping")
        await buttons.stop()
        relay.presses.finish()
        await pressing?.value
        for waiter in verdictWaiters.values { waiter.resume(returning: nil) }
        verdictWaiters = [:]
        await monitor?.stop()
        await session.close()
        await photographer.finish()
        await kiosk.stop()
        // Who waits for a photo is still told of it.
        await server.stop()
        await library.close()
        for task in tasks { task.cancel() }
        retrying?.cancel()
        await screen.close()
        readyLamp?.stop()
        flash?.stop()
    }

    @discardableResult
    private func observe<Element: Sendable>(
        _ events: AsyncStream<Element>,
        _ body: @escaping @Sendable (Appliance, Element) async -> Void
    ) -> Task<Void, Never> {
        let task = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                await body(self, event)
            }
        }
        tasks.append(task)
        return task
    }

    // MARK: what happens

    private func pressed(_ event: ControlEvent) async {
        let action = board.action(for: event.name)
        let verdict = await kiosk.handle(.press(KioskPress(action, timestamp: event.timestamp)))
        if case .accepted = verdict {} else { claims.drop(event.timestamp) }
        verdictWaiters.removeValue(forKey: event.timestamp)?.resume(returning: verdict)
    }

    /// Presses a button as a person would, and says what came of it.
    func pressButton(_ name: String) async throws -> PressVerdict? {
        let event = try buttons.press(name: name)
        return await withCheckedContinuation { verdictWaiters[event.timestamp] = $0 }
    }

    private func displayChanged(_ event: Screen.Event) async {
        switch event {
        case .ready(let connector, let mode, let size):
            let isNew = display == nil
            display = (connector, mode)
            problems.clear(prefix: "display.")
            log.notice("display", metadata: ["connector": "\(connector)", "mode": "\(mode)"])
            await show.resize(size)
            await processor.setReviewSize(size)
            if isNew { await showCamera() }
            startCamera()
        case .lost(let error):
            if display != nil { previewIsGone = true }
            display = nil
            let code = error.code == .notPermitted ? "display.denied" : "display.missing"
            problems.clear(prefix: "display.")
            problems.raise(code, "\(error)", .degraded)
            log.error("no display", metadata: ["reason": "\(error)"])
            startCamera()
        case .overlayFailed(let error):
            log.error("display", metadata: ["reason": "\(error)"])
            problems.raise("display.degraded", "\(error)", .degraded)
        case .videoFailed(let error):
            log.error("display", metadata: ["reason": "\(error)"])
            problems.raise("display.degraded", "\(error)", .degraded)
            tryAgainLater()
        }
    }

    /// What could not be shown may be shown another time, when there is memory again for example. It
    /// costs the photos a moment of the stream: less and less often.
    private func tryAgainLater() {
        if retrying != nil { return }
        let delay = retryDelay
        retryDelay = min(retryDelay * 2, 640)
        retrying = Task {
            try? await Task.sleep(for: .seconds(delay))
            retrying = nil
            if !Task.isCancelled, display != nil { await session.renegotiate() }
        }
    }

    /// A display has come. A stream that was started without it, or shown on one that has gone, is
    /// agreed anew.
    private func showCamera() async {
        guard hasStartedCamera else { return }
        if let running = await session.running, running.previewPath == nil { previewIsGone = true }
        if previewIsGone { await session.renegotiate() }
        previewIsGone = false
        hasTriedAgain = false
        retryDelay = Self.shortestRetryDelay
    }

    private func startCamera() {
        if hasStartedCamera { return }
        hasStartedCamera = true
        tasks.append(Task { [session] in _ = try? await session.startRunning() })
    }

    private func cameraChanged(_ notification: CaptureSession.Notification) async {
        switch notification {
        case .didStartRunning(let stream), .interruptionEnded(let stream):
            log.notice(
                "camera running",
                metadata: [
                    "camera": "\(stream.identity.name)",
                    "format":
                        "\(stream.stream.frame.dimensions) \(stream.stream.frame.pixelFormat)",
                    "path": "\(stream.previewPath?.rawValue ?? "none")",
                ])
            for refusal in stream.refusals {
                log.debug("path refused", metadata: ["reason": "\(refusal)"])
            }
            for code in problems.clear(prefix: "camera.") {
                await kiosk.handle(.problemGone(code: code))
            }
            await processor.setCameraName(stream.identity.name)
            await kiosk.handle(.previewStarted)
            guard display != nil else { break }
            if stream.previewPath != nil {
                problems.clear(prefix: "display.")
            } else if !hasTriedAgain {
                hasTriedAgain = true
                await session.renegotiate()
            } else {
                let reason = stream.refusals.last ?? "no way was found"
                problems.raise(
                    "display.degraded", "the video cannot be shown: \(reason)", .degraded)
                tryAgainLater()
            }
        case .wasInterrupted(let error), .runtimeError(let error):
            let code = Self.problemCode(error)
            log.error("camera interrupted", metadata: ["reason": "\(error)"])
            for old in problems.clear(prefix: "camera.") where old != code {
                await kiosk.handle(.problemGone(code: old))
            }
            problems.raise(code, "\(error)", .failed)
            await kiosk.handle(
                .problem(KioskProblem(code: code, effect: .noPreview, detail: "\(error)")))
        case .didStopRunning: break
        }
    }

    private static func problemCode(_ error: CaptureError) -> String {
        switch error.code {
        case .noDevice, .disconnected: "camera.missing"
        case .notPermitted: "camera.denied"
        case .busy: "camera.busy"
        case .unsupported, .invalidConfiguration: "camera.unsupported"
        case .stalled, .failed: "camera.stalled"
        }
    }

    func libraryProblems(_ current: [LibraryKeeper.Problem]) async {
        let known = Set(problems.clear(prefix: "library."))
        for code in known where !current.contains(where: { $0.code == code }) {
            await kiosk.handle(.problemGone(code: code))
        }
        for problem in current {
            problems.raise(
                problem.code, problem.message, problem.preventsPhotos ? .failed : .degraded)
            if !known.contains(problem.code) {
                log.error("library", metadata: ["reason": "\(problem.message)"])
            }
            await kiosk.handle(
                .problem(
                    KioskProblem(
                        code: problem.code,
                        effect: problem.preventsPhotos ? .noPhotos : .unnoticed,
                        detail: problem.message)))
        }
    }

    private func hotplug(_ event: DeviceEvent) async {
        switch event.subsystem {
        case "video4linux": if event.action == "add" { await session.deviceAppeared() }
        case "drm": screen.rescan()
        default:
            buttons.rescan()
            readyLamp?.rescan()
            flash?.rescan()
        }
    }

    // MARK: for status

    /// The problems that are known now, those of buttons and lamps included.
    func currentProblems() -> ProblemList {
        var problems = problems
        for button in buttons.statistics where button.state == .missing {
            problems.raise("button.missing", "button \(button.name): \(button.problem)", .degraded)
        }
        for line in [readyLamp, flash] {
            if let line, line.state == .missing {
                problems.raise("lamp.missing", "\(line.name): \(line.problem)", .degraded)
            }
        }
        return problems
    }
}
