// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import CommandProtocol
internal import Verbs
internal import Controls
internal import Detection
internal import Devices
internal import Diagnostics
internal import Display
internal import Health
internal import Kiosk
internal import Library
internal import LibraryService
internal import LinuxIO
internal import Logging
internal import Media
internal import Network
internal import Photography
internal import Recording
internal import Screens
internal import Settings
internal import Synchronization
internal import Viewing

/// The parts of an appliance, built in the order in which they need each other. Two joints point
/// the other way: the kiosk's commands (``connect()``) and the buttons' gestures.
final class Parts: Sendable {
    /// One thread for all supervisors: whatever they do every few seconds wakes up nobody else.
    let executor: ThreadExecutor
    let board: Board
    let version: String
    let session: CaptureSession
    /// The microphone of clips; `nil` if they have no sound.
    private let microphone: Microphone?
    /// The display with the kiosk's texts, then the second one if it is configured.
    let displays: [DisplaySupervisor]
    let presenter: OverlayPresenter
    let kiosk: KioskRunner
    private let viewer: Viewer
    /// The display without texts; `nil` if none is configured.
    private let second: SecondDisplay?
    let camera: CameraSupervisor
    private let photos = PhotoOutput()
    private let photographer: Photographer
    private let loops: LoopRecorder
    private let movies: MovieRecorder
    let timelapse: TimelapseRecorder
    let recordingMonitor: RecordingMonitor
    /// Searches the pictures for motion and codes; `nil` if nothing is searched for.
    private let watcher: SceneWatcher?
    let library: LibrarySupervisor
    let buttons: ButtonBoard
    private let presses: PressHandler
    let lamps: Lamps
    private let flash: OutputLine?
    private let outputs: [OutputLine]
    let problems: ProblemBoard
    let health: HealthMonitor
    let status: StatusReporter
    private let verbs: ControlVerbs
    private let server: ControlServer
    private let monitor = Mutex<DeviceMonitor?>(nil)
    private let pressing = Mutex<Task<Void, Never>?>(nil)
    private let recording = Mutex<Task<Void, Never>?>(nil)

    /// Nanoseconds of the camera thread's silence beyond the display's limit: cameras open slowly.
    private static let cameraPatience: Int64 = 20_000_000_000
    /// The limit for closing clips: longer than the kiosk's own, shorter than the unit's
    /// `TimeoutStopSec=`.
    private static let closingTime = Duration.seconds(30)

    init(
        _ board: Board, version: String, socket: String, startTime: Int64,
        foreignPictures: (any ForeignPictures)?, stateFolder: String?,
        freeBytes: AssetLibrary.FreeBytes?, patience: Duration,
        reload: @escaping @Sendable () -> Void
    ) throws {
        let settings = board.settings
        // The socket comes first: if another appliance has it, nothing else is touched.
        server = try ControlServer(path: socket, version: version)
        let executor = ThreadExecutor("appliance")
        let problems = ProblemBoard()
        let session = try CaptureSession()
        let screen = try Screen(gravity: board.gravity, open: board.openDisplay)
        let presenter = OverlayPresenter(
            screen: screen, gravity: board.gravity, pictures: board.pictures,
            showsReviews: settings.display.reviewSeconds > 0)
        // A simulated display has whatever mode is asked for.
        let isSimulated = settings.board.kind == .simulated
        var displays = [
            DisplaySupervisor(
                screen, .main(mode: isSimulated ? "" : settings.display.mode), presenter, session,
                problems, executor: executor)
        ]
        let second = try board.makeSecondScreen().map {
            SecondDisplay($0, pictures: board.pictures)
        }
        if let second {
            displays.append(
                DisplaySupervisor(
                    second.screen, .second(mode: isSimulated ? "" : settings.secondDisplay.mode),
                    second, session, problems, executor: executor))
        }
        let kiosk = KioskRunner(board.kioskConfiguration)
        let report: @Sendable (KioskEvent) async -> Void = { _ = await kiosk.handle($0) }
        let syncDesk = SyncDesk(executor: executor)
        let library = LibrarySupervisor(
            path: settings.library.path,
            retention: RetentionPolicy(settings.library, settings.sync),
            remote: SyncRemote(settings.sync), foreign: foreignPictures, executor: executor,
            stored: { await syncDesk.captured() }, patience: patience,
            report: { await LibraryProblems.publish($0, on: problems, to: kiosk) },
            open: { () async throws(LibraryError) in
                let (path, reserve) = (settings.library.path, settings.library.reserveMegabytes)
                guard let freeBytes else {
                    return try await AssetLibrary.open(at: path, reserveMegabytes: reserve)
                }
                return try await AssetLibrary.open(
                    at: path, reserveMegabytes: reserve, freeBytes: freeBytes)
            })
        let processor = try PhotoProcessor(board.photoSettings(version: version))
        let store = LibraryPhotoStore(library, processor, presenter, board.camera)
        let reserver = FrameReserver(photos, orientation: board.orientationSampler?.rotation)
        let photographer = Photographer(
            reserver, processor: processor, store: store, report: report)
        let recorder = MovieRecorder.Configuration(board, version: version)
        let movies = MovieRecorder(
            try MovieFileOutput(board.movieSettings), library, recorder, report: report)
        loops = LoopRecorder(
            reserver, library, board.movieSettings, recorder, photographer.sessions,
            report: report)
        let timelapse = TimelapseRecorder(
            photos, library, board.movieSettings, recorder, settings.timelapse, report: report)
        let watcher = board.makeWatcher { Task { await kiosk.handle(.motion) } }
        let microphone = try board.makeMicrophone()
        let camera = CameraSupervisor(
            session, board, CameraControlStore(folder: stateFolder, executor: executor), processor,
            kiosk, problems, displays: displays, timelapse: timelapse, executor: executor)
        let lampLines = board.lamps
        let flash = board.flash
        let outputs = [lampLines.ready, lampLines.recording, lampLines.fault, flash].compactMap(
            \.self)
        let presses = PressHandler(board, kiosk, executor: executor)
        let buttons = try Self.makeButtons(board, reserver, presses)
        let access = AccessPolicy(settings.access, owner: AccountDatabase.currentUser)
        let collector = ProblemCollector(
            problems, buttons: buttons, outputs: outputs, microphone: microphone,
            movies: movies.output, unknownNames: access.unknown)
        lamps = Lamps(
            ready: lampLines.ready, recording: lampLines.recording, fault: lampLines.fault)
        let pictures = LibraryPictures(
            library, settings.library, foreign: foreignPictures, syncDesk, executor: executor)
        let loader = ResourceLoader()
        viewer = Viewer(
            library: library, pictures: pictures, loader: loader, display: displays[0],
            presenter: presenter, sessions: photographer.sessions, second: second,
            gravity: board.gravity, settings: settings.playback, report: report)
        let parts = KioskParts(
            board: board, kiosk: kiosk, session: session, camera: camera, displays: displays,
            buttons: buttons, presses: presses, lamps: lamps, flash: flash, outputs: outputs,
            microphone: microphone, reserver: reserver, photographer: photographer,
            movies: movies, timelapse: timelapse, watcher: watcher, library: library,
            pictures: pictures, loader: loader, viewer: viewer, syncDesk: syncDesk,
            problems: collector)
        health = HealthMonitor(parts, executor: executor)
        status = StatusReporter(parts, version: version, startTime: startTime)
        let brackets = BracketRecorder(
            camera, board, kiosk, timelapse, photos, processor, store, library)
        verbs = ControlVerbs(
            parts, brackets, status, access, version: version, executor: executor, reload: reload)
        recordingMonitor = RecordingMonitor(kiosk, microphone, movies)
        self.executor = executor
        self.board = board
        self.version = version
        self.session = session
        self.microphone = microphone
        self.displays = displays
        self.second = second
        self.presenter = presenter
        self.kiosk = kiosk
        self.camera = camera
        self.photographer = photographer
        self.movies = movies
        self.timelapse = timelapse
        self.watcher = watcher
        self.library = library
        self.buttons = buttons
        self.presses = presses
        self.flash = flash
        self.outputs = outputs
        self.problems = problems
    }

    private static func makeButtons(
        _ board: Board, _ reserver: FrameReserver, _ presses: PressHandler
    ) throws -> ButtonBoard {
        let settings = board.settings
        // With a countdown or a flash, the frame of the edge is not the photo.
        let takesPhotoLater = settings.display.countdownSeconds > 0 || settings.flash.line != nil
        let takesPhotoAtOnce = takesPhotoLater ? [] : board.photoButtons
        return try ButtonBoard(
            board.buttons, hardware: board.hardware, repertoire: board.repertoire,
            handler: { event in
                // The frame is claimed on the button's thread, before another thread wakes up.
                event.phase == .edge && takesPhotoAtOnce.contains(event.name)
                    ? reserver.reserve(event.timestamp) : nil
            },
            recognized: { presses.recognized($0) })
    }

    /// The heartbeat of the thread that has been silent longest, in nanoseconds of
    /// `CLOCK_MONOTONIC`.
    var heartbeat: Int64 {
        min(
            displays.map(\.screen.statistics.lastHeartbeat).min() ?? .max,
            session.statistics.lastHeartbeat.map { $0 + Self.cameraPatience } ?? .max,
            movies.output.encoderLostTime ?? .max)
    }

    // MARK: the kiosk's commands

    func connect() async { await kiosk.connect { [unowned self] in perform($0) } }

    private func perform(_ command: KioskCommand) {
        switch command {
        case .capture(let order):
            let light = order.photo.flashMode == .off ? nil : flash?.litSince
            if order.photo.flashMode == .on, light == nil {
                return photographer.refuse(order.shot, "the flash does not light")
            }
            if case .loop = order.kind {
                loops.take(order, exposedAfter: light)
            } else {
                photographer.take(order, exposedAfter: light)
            }
        case .abandon(let shot):
            photographer.abandon(shot)
            loops.abandon(shot)
        case .view(let view, let subject): viewer.begin(view, subject)
        case .turnView(let view, let step): viewer.turn(view, by: step)
        case .endView(let view): viewer.end(view)
        case .switchCamera: camera.switchToNext()
        case .toggleTimelapse(let session):
            timelapse.toggle(session: photographer.sessions.name(of: session))
        case .show(let scene): presenter.show(scene)
        case .readyLamp(let isOn): lamps.signalReady(isOn)
        case .startRecording(let recording, let moment, let session):
            movies.start(
                MovieRecorder.Order(
                    recording: recording, moment: moment,
                    session: photographer.sessions.name(of: session)))
        case .stopRecording(let recording): movies.stop(recording)
        case .recordingLamp(let isOn):
            lamps.signalRecording(isOn)
            recordingMonitor.setRecording(isOn)
        case .flash(let isOn): flash?.set(isOn)
        case .screen(let isOn):
            displays[0].screen.setActive(isOn)
            second?.setAwake(isOn)
        case .finished, .recorded: break
        }
    }

    // MARK: start and stop

    /// Configures the session and watches for devices.
    func start() async throws {
        // A photo that hangs on its disk is abandoned by the kiosk, so nothing waits for this task.
        Task { [photographer] in await photographer.run() }
        recording.withLock {
            $0 = Task { [loops, movies] in
                async let loops: Void = loops.run()
                await movies.run()
                await loops
            }
        }
        monitor.withLock { $0 = makeMonitor() }
        try await session.configure {
            [board, photos, movies, watcher, microphone, displays] session in
            try board.configure(
                &session, photos: photos, movies: movies.output, microphone: microphone)
            if let watcher { try session.addOutput(watcher.output) }
            try session.addOutput(displays[0].preview)
            try board.orient(displays[0].preview, board.camera.settings, in: &session)
            if displays.count > 1 { try board.addSecondPreview(displays[1].preview, to: &session) }
        }
        await kiosk.handle(.tick)
    }

    /// Starts the camera once the display is known, for one negotiation; or after a second.
    func startCamera() async {
        await firstAnswer(within: .seconds(1)) { [displays] in await displays[0].settled() }
        await camera.start()
    }

    func acceptPresses() {
        pressing.withLock { $0 = Task { [presses] in await presses.run() } }
        buttons.start()
        server.start { [verbs] request, progress in try await verbs.answer(request, progress) }
    }

    /// Stops taking presses, saves what was taken, and ends the camera and the library.
    func stop() async {
        await buttons.stop()
        presses.finish()
        await pressing.withLock(\.self)?.value
        viewer.external?.close()
        await kiosk.handle(.stopping)
        await kiosk.becameIdle()
        photographer.finish()
        loops.finish()
        movies.finish()
        // A disk that does not answer is abandoned: the next start adopts what is on it.
        let recording = recording.withLock(\.self)
        await firstAnswer(within: Self.closingTime) { [timelapse, movies] in
            async let timelapse: Void = timelapse.close()
            await movies.output.close()
            await recording?.value
            await timelapse
        }
        await microphone?.close()
        await monitor.withLock(\.self)?.stop()
        await session.close()
        await watcher?.output.close()
        await kiosk.stop()
        // Clients that wait for a photo still get their answer.
        await server.stop()
        await library.close()
    }

    /// Ends the threads of displays and lamps, once the supervisors' tasks are cancelled.
    func close() async {
        await health.stop()
        await camera.stop()
        for display in displays {
            await display.stop()
            await display.screen.close()
        }
        await lamps.stop()
        flash?.stop()
    }

    // MARK: devices that come and go

    private func makeMonitor() -> DeviceMonitor? {
        do {
            let subsystems = ["video4linux", "sound", "drm", "gpio", "input", "block"]
            return try DeviceMonitor(subsystems: subsystems) { [weak self] event in
                Task { await self?.hotplug(event) }
            }
        } catch {
            // The health monitor looks for everything every few seconds, too.
            Logger(label: "appliance").warning(
                "new devices are noticed late", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    private func hotplug(_ event: DeviceEvent) async {
        switch event.subsystem {
        case "video4linux": if event.action == "add" { await session.deviceAppeared() }
        case "drm": for display in displays { display.screen.rescan() }
        case "sound": await health.soundDevicesChanged()
        case "block": await library.mediumChanged()
        default:
            buttons.rescan()
            for output in outputs { output.rescan() }
        }
    }
}
