// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import CommandProtocol
package import Controls
internal import Detection
internal import Display
internal import FoundationEssentials
internal import Health
internal import Kiosk
public import Library
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
    let executor: ThreadExecutor
    /// Of the library's keeper, too: what both do every few seconds wakes up nobody else.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    let board: Board
    let session: CaptureSession
    /// Of movies; `nil` where they have no sound.
    let microphone: Microphone?
    let screen: Screen
    let preview: PreviewOutput
    /// `nil` where there is one display.
    let second: SecondDisplay?
    let photoOutput = PhotoOutput()
    let movies: MovieRecorder
    let loops: LoopRecorder
    let timelapse: TimelapseRecorder
    /// `nil` where nothing is looked for in the pictures, or nothing can be.
    let watcher: SceneWatcher?
    let claims: FrameClaims
    let buttons: ButtonBoard
    let kiosk: KioskRunner
    let show: SceneShow
    package let library: LibraryKeeper
    let processor: PhotoProcessor
    let lamps: Lamps
    let flash: OutputLine?
    /// Lamps and flash, for whether they are there.
    let outputs: [OutputLine]
    let version: String
    /// Of the board's own condition, as of the last look.
    var boardFindings: [BoardSensors.Finding] = []
    /// What is to be said of a microphone that is not there.
    var missingMicrophone: String?
    var mayMicrophoneHaveChanged = false
    var looks = 0
    /// As of the last look.
    var problemsOnLamps = ProblemList()
    /// The codes of what the screen says in place of the invitation.
    var saidOddities: Set<String> = []
    /// Nanoseconds of `CLOCK_MONOTONIC`.
    var lastLook = Clock.monotonic
    /// What a clip's file waited for when the library's disk was doubted last.
    var doubtedWait: Int64?
    let log = Logger(label: "appliance")
    let startTime: Int64

    let photographer: Photographer
    let tuner: CameraTuner
    let access: AccessPolicy
    let foreignPictures: (any ForeignPictures)?
    /// Of the library that was open when somebody last asked for a picture.
    private var images: ImageManager?
    let relay: KioskRelay
    var problems = ProblemList()
    var configuration = StatusReport.ConfigurationState()
    /// Has the configuration read and applied anew.
    let reload: @Sendable () -> Void
    /// Commands that pressed a button and wait for the verdict, by the press's time.
    var verdictWaiters: [Int64: CheckedContinuation<PressVerdict?, Never>] = [:]
    var isStopped = false
    /// Whether the camera's exposure is another one for a moment.
    var isBracketing = false
    var hasStartedCamera = false
    /// The camera's stream on the display, and on the second one.
    var showing = Showing()
    var secondShowing = Showing()
    var display: (connector: String, mode: String, size: Dimensions)?
    var tasks: [Task<Void, Never>] = []
    /// Sets what is remembered of the camera that has begun to stream.
    var restoring: Task<Void, Never>?
    /// Of the stream whose camera was set so.
    var restoredStream: Int64?
    /// The movies that last as long as a button is held, by its name.
    var heldRecordings: [String: RecordingIdentifier] = [:]
    /// Tells the kiosk how loud it is, while a movie is recorded.
    var listening: Task<Void, Never>?
    /// Ends with the last movie.
    var recording: Task<Void, Never>?
    /// Ends when every press has been answered.
    var pressing: Task<Void, Never>?
    var monitor: DeviceMonitor?
    let server: ControlServer

    /// Each look wakes this thread twice and the library's.
    private static let lookInterval = Duration.seconds(3)
    /// Of the watchdog with the camera's thread, beyond that with the display's: cameras may take long to
    /// open, nanoseconds.
    private static let cameraPatience: Int64 = 20_000_000_000

    /// Builds everything and takes the screen; cameras and buttons wait for ``start()``.
    ///
    /// - Parameters:
    ///   - startTime: of the program: nanoseconds of `CLOCK_MONOTONIC`.
    ///   - foreignPictures: for originals that are no JPEG.
    ///   - stateFolder: where is remembered what was set of cameras; `nil` for nowhere.
    ///   - reload: has the configuration read and applied anew; must not block.
    /// - Throws: a `SystemCallError` with the socket's path where another appliance has it: this one
    ///   then touches nothing. Else when the process is out of descriptors or a button cannot exist.
    public init(
        _ settings: Settings, version: String, socket: String, startTime: Int64,
        foreignPictures: (any ForeignPictures)? = nil, stateFolder: String? = nil,
        reload: @escaping @Sendable () -> Void = {}
    ) throws {
        try self.init(
            settings, version: version, socket: socket, startTime: startTime,
            foreignPictures: foreignPictures, stateFolder: stateFolder, hardware: nil,
            reload: reload)
    }

    /// The same, with another panel than the board's, and a disk that is as full as `freeBytes` says.
    package init(
        _ settings: Settings, version: String, socket: String, startTime: Int64,
        foreignPictures: (any ForeignPictures)? = nil, stateFolder: String? = nil,
        hardware: (any ControlHardware)?,
        freeBytes: AssetLibrary.FreeBytes? = nil, reload: @escaping @Sendable () -> Void = {}
    ) throws {
        self.startTime = startTime
        self.reload = reload
        let relay = KioskRelay()
        server = try ControlServer(path: socket, version: version) { request, progress in
            guard let appliance = relay.appliance else {
                throw CommandError("stopping", "the appliance is stopping", exit: .unavailable)
            }
            return try await appliance.answer(request, progress)
        }
        let board = Board(settings: settings, hardware: hardware)
        let screen = try Screen(gravity: board.gravity, open: board.openDisplay)
        let second = try board.makeSecondDisplay()
        let show = SceneShow(
            screen: screen, gravity: board.gravity, splash: board.splash)
        let processor = try PhotoProcessor(board.photoSettings(version: version))
        let executor = ThreadExecutor("appliance")
        let library = LibraryKeeper(
            path: settings.library.path, retention: RetentionPolicy(settings.library),
            executor: executor,
            report: { problems in await relay.appliance?.libraryProblems(problems) },
            open: { () async throws(LibraryError) in
                let (path, reserve) = (settings.library.path, settings.library.reserveMegabytes)
                guard let freeBytes else {
                    return try await AssetLibrary.open(at: path, reserveMegabytes: reserve)
                }
                return try await AssetLibrary.open(
                    at: path, reserveMegabytes: reserve, freeBytes: freeBytes)
            })
        let photographer = Photographer(
            processor: processor,
            store: LibraryPhotoStore(
                library: library, processor: processor, show: show,
                camera: board.camera),
            report: { event in _ = await relay.kiosk?.handle(event) })
        let recorder = board.recorderConfiguration(version: version)
        let movies = MovieRecorder(
            try MovieFileOutput(board.movieSettings), library, recorder,
            report: { event in _ = await relay.kiosk?.handle(event) })
        let loops = LoopRecorder(
            library, board.movieSettings, recorder, photographer.sessions,
            report: { event in _ = await relay.kiosk?.handle(event) })
        timelapse = TimelapseRecorder(
            photoOutput, library, board.movieSettings, recorder, settings.timelapse,
            report: { event in _ = await relay.kiosk?.handle(event) })
        watcher = board.makeWatcher {
            Task { _ = await relay.kiosk?.handle(.motion) }
        }
        let claims = FrameClaims(
            photoOutput, orientation: board.orientationSampler?.rotation,
            lifetime: board.repertoire.longestWait + 1_000_000_000)
        let takesPhotoLater =
            settings.display.countdownSeconds > 0 || settings.flash.line != nil
        let takesPhotoAtOnce = takesPhotoLater ? [] : board.photoButtons
        access = AccessPolicy(settings.access, owner: AccountDatabase.currentUser)
        self.foreignPictures = foreignPictures
        tuner = CameraTuner(folder: stateFolder, executor: executor)
        self.executor = executor
        self.board = board
        self.relay = relay
        self.screen = screen
        preview = PreviewOutput(target: screen)
        self.second = second
        self.show = show
        self.processor = processor
        self.library = library
        self.photographer = photographer
        self.claims = claims
        self.movies = movies
        self.loops = loops
        self.version = version
        microphone = try board.makeMicrophone()
        session = try CaptureSession()
        let lampLines = board.lamps
        lamps = Lamps(
            ready: lampLines.ready, recording: lampLines.recording, fault: lampLines.fault)
        flash = board.flash
        outputs = [lampLines.ready, lampLines.recording, lampLines.fault, flash].compactMap(\.self)
        buttons = try ButtonBoard(
            board.buttons, hardware: board.hardware, repertoire: board.repertoire,
            handler: { event in
                // The frame is claimed here, on the button's thread, before anybody else wakes up.
                switch event.phase {
                case .edge where takesPhotoAtOnce.contains(event.name):
                    claims.hold(event.timestamp)
                case .noise: claims.drop(event.timestamp)
                case .edge, .press, .release: break
                }
            },
            recognized: { gesture in
                relay.gestures.yield(gesture)
            })
        let flash = flash
        kiosk = KioskRunner(board.kioskConfiguration) { command in
            switch command {
            case .capture(let shot, let kind, let moment, let session, let photo):
                let light = photo.flashMode == .off ? nil : flash?.litSince
                if photo.flashMode == .on, light == nil {
                    return photographer.refuse(shot, "the flash does not light")
                }
                let order = Photographer.Order(
                    shot: shot, session: session, photo: photo,
                    frames: claims.take(
                        kind, moment, exposedAfter: light, keepsRaw: photo.format == .raw))
                if case .loop = kind { loops.take(order) } else { photographer.take(order) }
            case .abandon(let shot):
                photographer.abandon(shot)
                loops.abandon(shot)
            case .switchCamera: relay.cameras.yield(())
            case .toggleTimelapse(let session):
                relay.timelapses.yield(photographer.sessions.name(of: session))
            case .show(let scene): relay.scenes.yield(scene)
            case .readyLamp(let isOn): relay.readyLamp.yield(isOn)
            case .startRecording(let recording, let moment, let session):
                relay.movies.yield(
                    .start(
                        MovieRecorder.Order(
                            recording: recording, moment: moment,
                            session: photographer.sessions.name(of: session))))
            case .stopRecording(let recording): relay.movies.yield(.stop(recording))
            case .recordingLamp(let isOn): relay.recordingLamp.yield(isOn)
            case .flash(let isOn): flash?.set(isOn)
            case .screen(let isOn):
                screen.setActive(isOn)
                second?.screen.setActive(isOn)
            case .finished, .recorded: break
            }
        }
    }

    /// The board's name, as in status.
    public nonisolated var boardName: String { board.name }

    /// The pictures of the library that is open now.
    func pictures(of library: AssetLibrary) -> ImageManager {
        if let images, images.library === library { return images }
        let new = ImageManager(library, board.settings.library, foreign: foreignPictures)
        images = new
        return new
    }

    /// Starts everything. What is missing is a state, not an error.
    public func start() async throws {
        relay.connect(self, kiosk)
        log.notice("starting", metadata: ["version": "\(version)", "board": "\(board.name)"])
        // From the beginning: opening a library may take its time.
        let displays = [screen, second?.screen].compactMap { $0?.statistics }
        let camera = session.statistics
        tasks.append(
            Task { [output = movies.output] in
                await Watchdog().run {
                    min(
                        displays.map(\.lastHeartbeat).min() ?? .max,
                        camera.lastHeartbeat.map { $0 + Self.cameraPatience } ?? .max,
                        output.encoderLostTime ?? .max)
                }
            })
        observe(screen.events) { await $0.displayChanged($1) }
        if let second { observe(second.screen.events) { await $0.secondDisplayChanged($1) } }
        observe(relay.sceneStream) { await $0.show.show($1) }
        observe(relay.readyLampStream) { await $0.lamps.setReady($1) }
        observe(relay.recordingLampStream) { await $0.recordingChanged($1) }
        observe(relay.cameraStream) { appliance, _ in
            // One that was taken up before a bracket began comes too late.
            if await appliance.isBracketing { return }
            try? await appliance.useCamera(named: nil)
        }
        observe(relay.timelapseStream) { await $0.toggleTimelapse(session: $1) }
        recording = Task { [movies, relay] in await movies.run(relay.movieStream) }
        observe(await session.notifications()) { await $0.cameraChanged($1) }
        do {
            let subsystems = ["video4linux", "sound", "drm", "gpio", "input", "block"]
            monitor = try DeviceMonitor(subsystems: subsystems) { [relay] event in
                Task { await relay.appliance?.hotplug(event) }
            }
        } catch {
            // Everything is looked for again every few seconds, too.
            log.warning(
                "what is plugged in is noticed late", metadata: ["reason": "\(error)"])
        }
        try await session.configure {
            [board, photoOutput, movies, watcher, microphone, preview, second] session in
            try board.configure(
                &session, photos: photoOutput, movies: movies.output, microphone: microphone)
            if let watcher { try session.addOutput(watcher.output) }
            try session.addOutput(preview)
            try board.orient(preview, board.camera.settings, in: &session)
            try second?.addPreview(
                to: &session, turned: board.previewRotation)
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
        if isStopped { return }
        pressing = observe(relay.gestureStream) { await $0.recognized($1) }
        buttons.start()
        server.start()
        tasks.append(Task(executorPreference: executor) { await self.keepLooking() })
        ServiceManager.ready()
    }

    private func keepLooking() async {
        repeat {
            await lookAround()
            // Who has been cancelled meanwhile is woken up no more.
            if Task.isCancelled { return }
            await executor.sleep(for: Self.lookInterval)
        } while !Task.isCancelled
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
}
