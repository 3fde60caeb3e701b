// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
public import CommandProtocol
internal import Verbs
package import Controls
internal import Devices
public import Diagnostics
internal import Health
internal import Kiosk
public import Library
package import LibraryService
internal import LinuxIO
internal import Logging
internal import Photography
package import Screens
public import Settings

/// The kiosk camera: builds the parts, joins them, and starts and stops them in order.
///
///     Controls ──press──▶ KioskRunner ──capture──▶ Photographer ──▶ LibrarySupervisor
///                            │    ▲ problems            ▲ frames
///                            ▼    │                     │
///                    OverlayPresenter ──overlay──▶ Screen ◀── CaptureSession
public actor Appliance {
    let parts: Parts
    private var tasks: [Task<Void, Never>] = []
    private var isStopped = false
    private let log = Logger(label: "appliance")

    /// Builds everything and takes the screen; cameras and buttons wait for ``start()``.
    /// - Parameters:
    ///   - startTime: of the program, in nanoseconds of `CLOCK_MONOTONIC`.
    ///   - foreignPictures: decodes originals that are no JPEG.
    ///   - stateFolder: where the cameras' controls are remembered; `nil` for nowhere.
    ///   - reload: reads and applies the configuration again; must not block.
    /// - Throws: a `SystemCallError` with the socket's path if another appliance has it, before
    ///   anything is touched; or if the process is out of descriptors or a button cannot exist.
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

    /// Builds everything with other buttons and lamps, and a disk as full as `freeBytes` says.
    /// - Parameter patience: How long the library's disk may be silent, as for
    ///   ``LibrarySupervisor``.
    package init(
        _ settings: Settings, version: String, socket: String, startTime: Int64,
        foreignPictures: (any ForeignPictures)? = nil, stateFolder: String? = nil,
        hardware: (any ControlHardware)?,
        freeBytes: AssetLibrary.FreeBytes? = nil, patience: Duration = .seconds(10),
        reload: @escaping @Sendable () -> Void = {}
    ) throws {
        parts = try Parts(
            Board(settings: settings, hardware: hardware), version: version, socket: socket,
            startTime: startTime, foreignPictures: foreignPictures, stateFolder: stateFolder,
            freeBytes: freeBytes, patience: patience, reload: reload)
    }

    package nonisolated var library: LibrarySupervisor { parts.library }
    package nonisolated var display: DisplaySupervisor { parts.displays[0] }
    /// The board's name, as in the status.
    public nonisolated var boardName: String { parts.board.name }
    /// The names of the configured buttons, working or not, without chords.
    public nonisolated var buttonNames: Set<String> {
        Set(parts.board.settings.buttons.map(\.name))
    }

    /// The state now.
    public nonisolated func status() async -> StatusReport { await parts.status.report() }

    /// The parts that work now; waits for no disk.
    public nonisolated func workingParts() async -> WorkingParts {
        await WorkingParts(
            parts.board, parts.kiosk, parts.session, parts.displays, parts.buttons, parts.problems)
    }

    /// Sets the configuration of the status; `problem` says why it is not the one in the file.
    public nonisolated func setConfiguration(
        _ configuration: StatusReport.ConfigurationState, problem: String? = nil
    ) {
        parts.problems.clear(prefix: "configuration.")
        if let problem {
            parts.problems.raise("configuration.\(configuration.state)", problem, .degraded)
        }
        // The state comes last, because a client that sees it then asks for the problem.
        parts.status.configuration = configuration
    }

    /// Starts everything. A missing device is a state, not an error.
    public func start() async throws {
        log.notice(
            "starting", metadata: ["version": "\(parts.version)", "board": "\(parts.board.name)"])
        await parts.connect()
        // The watchdog begins first, because opening a library may take long.
        run { parts in await Watchdog().run { parts.heartbeat } }
        for display in parts.displays { run { _ in await display.run() } }
        run { await $0.presenter.run() }
        run { await $0.lamps.run() }
        run { await $0.recordingMonitor.run() }
        let notifications = await parts.session.notifications()
        run { await $0.camera.run(notifications) }
        run { parts in await parts.timelapse.run { parts.camera.isBracketing } }
        try await parts.start()
        run { await $0.startCamera() }
        // The library opens before anybody can press: an accepted press can be kept, and others are
        // refused with the reason.
        await parts.library.start()
        if isStopped { return }
        parts.acceptPresses()
        // Its regular wake-up needs no thread of the pool.
        tasks.append(
            Task(executorPreference: parts.executor) { [parts] in await parts.health.run() })
        ServiceManager.ready()
    }

    /// Ends everything in the order in which frames flow. A countdown is cancelled; accepted
    /// presses are taken and saved. A camera or a disk that does not answer is abandoned after its
    /// usual limit. systemd is told if the process ends too (`forGood`).
    public func stop(forGood: Bool = true) async {
        if isStopped { return }
        isStopped = true
        if forGood { ServiceManager.stopping() }
        log.notice(forGood ? "stopping" : "pausing for another configuration")
        await parts.stop()
        for task in tasks { task.cancel() }
        await parts.close()
    }

    /// Runs a part until ``stop(forGood:)`` cancels it.
    private func run(_ body: @escaping @Sendable (Parts) async -> Void) {
        tasks.append(Task { [parts] in await body(parts) })
    }
}
