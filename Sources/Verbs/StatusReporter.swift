// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
package import CommandProtocol
internal import Controls
internal import Devices
package import Diagnostics
internal import Display
internal import Glibc
internal import Health
internal import Kiosk
internal import LibraryService
internal import LinuxIO
internal import Media
internal import Photography
internal import Recording
internal import Screens
internal import Settings
internal import Synchronization

/// Gathers the status report from the appliance's parts. Any thread.
package final class StatusReporter: Sendable {
    private let parts: KioskParts
    private let version: String
    private let startTime: Int64
    private let state = Mutex(StatusReport.ConfigurationState())

    /// `startTime` is that of the program, in nanoseconds of `CLOCK_MONOTONIC`.
    package init(_ parts: KioskParts, version: String, startTime: Int64) {
        self.parts = parts
        self.version = version
        self.startTime = startTime
    }

    package var configuration: StatusReport.ConfigurationState {
        get { state.withLock(\.self) }
        set { state.withLock { $0 = newValue } }
    }

    package func report() async -> StatusReport {
        let problems = parts.problems.current
        var report = StatusReport(
            version: version, board: parts.board.name, state: await parts.kiosk.state.rawValue,
            uptimeSeconds: Double((Clock.monotonic - startTime) / 1_000_000) / 1000,
            health: problems.health,
            problems: problems.all.map {
                StatusReport.Problem(code: $0.code, message: $0.message)
            },
            clock: StatusReport.ClockState(synchronized: Clock.isSynchronized))
        report.configuration = configuration
        report.camera = await camera()
        report.preview = await preview(of: parts.displays[0])
        if parts.displays.count > 1 { report.secondDisplay = await secondDisplay() }
        report.buttons = parts.buttons.statistics.map {
            StatusReport.Button(name: $0.name, presses: $0.presses, state: $0.state.rawValue)
        }
        report.lamps = parts.outputs.map {
            StatusReport.Lamp(name: $0.name, on: $0.litSince != nil)
        }
        report.recording = recording()
        report.timelapse = await parts.timelapse.status
        report.detection = parts.watcher?.status
        report.library = await parts.library.status()
        report.sync = await sync()
        return report
    }

    /// Returns how far the copies are. The library's numbers were asked for just before.
    private func sync() async -> StatusReport.Sync {
        StatusReport.Sync(
            parts.library.remote, await parts.library.backlog, await parts.syncDesk.report)
    }

    package func camera() async -> StatusReport.Camera {
        let session = parts.session
        var camera = StatusReport.Camera()
        if !parts.board.settings.cameras.isEmpty {
            let chosen = parts.board.camera.settings
            (camera.id, camera.position) = (chosen.id, chosen.position)
        }
        camera.state = await session.state.rawValue
        camera.framesCaptured = session.statistics.framesCaptured
        for cause in DropCause.allCases {
            camera.framesDropped[cause.rawValue] = session.statistics.framesDropped(cause)
        }
        let display = parts.displays[0]
        camera.framesDropped["undecodable"] = display.screen.statistics.framesUndecodable
        camera.framesDropped["replaced"] = display.preview.frames.framesReplaced
        camera.streamRestarts = session.statistics.streamRestarts
        camera.framesRestamped = session.statistics.framesRestamped
        guard let running = await session.running else { return camera }
        camera.name = running.identity.name
        camera.path = running.identity.path
        let frame = running.stream.frame
        let interval = running.stream.frameInterval
        camera.format = StatusReport.Format(
            pixelFormat: running.stream.cameraFormat.description, width: frame.dimensions.width,
            height: frame.dimensions.height,
            framesPerSecond: interval > 0 ? (1e11 / Double(interval)).rounded() / 100 : 0)
        return camera
    }

    private func recording() -> StatusReport.Recording {
        let (movies, output) = (parts.movies, parts.movies.output)
        var recording = StatusReport.Recording()
        recording.active = output.isRecording
        recording.seconds = movies.recordedSeconds
        recording.bytes = output.recordedInAll.bytes
        recording.secondsLeft = movies.secondsLeft
        let preRoll = output.preRoll
        recording.preRollSeconds = Double(preRoll.duration / 1_000_000) / 1000
        recording.preRollBytes = preRoll.bytes
        recording.encoder = output.encoderName
        recording.framesEncoded = output.framesEncoded
        recording.framesDropped = [
            "encoder": output.framesDropped, "undecodable": output.framesUndecodable,
            "sound": output.soundChunksDropped,
        ]
        recording.microphone = parts.microphone.map(\.status).map { status in
            let decibels = status.level > 0 ? max(20 * log10(status.level), -100) : -100
            return StatusReport.Microphone(
                device: status.device, levelDecibels: (decibels * 10).rounded() / 10,
                overruns: status.overruns)
        }
        return recording
    }

    private func secondDisplay() async -> StatusReport.Preview {
        let display = parts.displays[1]
        var status = await preview(of: display)
        status.framesDropped = [
            "undecodable": display.screen.statistics.framesUndecodable,
            "replaced": display.preview.frames.framesReplaced,
        ]
        return status
    }

    private func preview(of display: DisplaySupervisor) async -> StatusReport.Preview {
        var preview = StatusReport.Preview()
        let statistics = display.screen.statistics
        preview.framesShown = statistics.framesShown
        preview.bytesCopiedPerFrame = statistics.bytesCopiedPerFrame
        if let p50 = statistics.latencyMilliseconds(0.5),
            let p99 = statistics.latencyMilliseconds(0.99)
        {
            preview.latencyMilliseconds = StatusReport.Latency(p50: p50, p99: p99)
        }
        if let connected = await display.connected {
            (preview.connector, preview.mode) = (connected.connector, connected.mode)
        }
        preview.path = await display.shownPath()?.rawValue ?? ""
        return preview
    }
}
