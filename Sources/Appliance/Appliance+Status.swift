// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
public import CommandProtocol
internal import Controls
internal import Display
internal import Glibc
internal import Health
internal import Kiosk
internal import LinuxIO
internal import Media
internal import Recording
internal import Settings
internal import Synchronization

extension Appliance {
    /// The appliance's state now.
    public func status() async -> StatusReport {
        let problems = currentProblems()
        var report = StatusReport(
            version: version, board: board.name, state: await kiosk.state.rawValue,
            uptimeSeconds: Double((Clock.monotonic - startTime) / 1_000_000) / 1000,
            health: problems.health,
            problems: problems.all.map {
                StatusReport.Problem(code: $0.code, message: $0.message)
            },
            clock: StatusReport.ClockState(synchronized: Clock.isSynchronized))
        report.configuration = configuration
        report.camera = await cameraStatus()
        report.preview = await previewStatus()
        report.secondDisplay = await secondDisplayStatus
        report.buttons = buttons.statistics.map {
            StatusReport.Button(name: $0.name, presses: $0.presses, state: $0.state.rawValue)
        }
        report.lamps = outputs.map {
            StatusReport.Lamp(name: $0.name, on: $0.litSince != nil)
        }
        report.recording = recordingStatus
        report.timelapse = await timelapse.status
        report.detection = watcher?.status
        report.library = await library.status()
        return report
    }

    /// The problems that are known now, those of buttons and lamps included.
    func currentProblems() -> ProblemList {
        var problems = problems
        for button in buttons.statistics where !button.problem.isEmpty {
            problems.add(
                "button.\(button.state.rawValue)", "button \(button.name): \(button.problem)",
                .degraded)
        }
        if !access.unknown.isEmpty {
            problems.raise(
                "access.unknown",
                "[access]: this machine has no \(access.unknown.joined(separator: ", "))"
                    + "; next: make that user or group, or take it out of the configuration",
                .degraded)
        }
        for finding in boardFindings {
            problems.raise(finding.code, finding.message, .degraded)
        }
        if let problem = microphone?.status.problem ?? missingMicrophone {
            problems.raise(
                "microphone.missing",
                "microphone: \(problem); next: plug it in, or end the program that has it, or see: vitrine devices",
                .degraded)
        }
        if let problem = movies.output.encoderProblem {
            problems.raise(
                "recording.encoder",
                "clips cannot be recorded: \(problem); next: see what could compress them: vitrine doctor",
                .degraded)
        }
        for output in outputs where output.state == .missing {
            problems.add("lamp.missing", "lamp \(output.name): \(output.problem)", .degraded)
        }
        return problems
    }

    func cameraStatus() async -> StatusReport.Camera {
        var camera = StatusReport.Camera()
        if !board.settings.cameras.isEmpty {
            let chosen = board.camera.settings
            (camera.id, camera.position) = (chosen.id, chosen.position)
        }
        camera.state = await session.state.rawValue
        camera.framesCaptured = session.statistics.framesCaptured
        for cause in DropCause.allCases {
            camera.framesDropped[cause.rawValue] = session.statistics.framesDropped(cause)
        }
        camera.framesDropped["undecodable"] = screen.statistics.framesUndecodable
        camera.framesDropped["replaced"] = preview.frames.framesReplaced
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

    private var recordingStatus: StatusReport.Recording {
        let output = movies.output
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
        recording.microphone = microphone.map(\.status).map { status in
            let decibels = status.level > 0 ? max(20 * log10(status.level), -100) : -100
            return StatusReport.Microphone(
                device: status.device, levelDecibels: (decibels * 10).rounded() / 10,
                overruns: status.overruns)
        }
        return recording
    }

    private func previewStatus() async -> StatusReport.Preview {
        var preview = StatusReport.Preview(screen.statistics)
        preview.connector = display?.connector ?? ""
        preview.mode = display?.mode ?? ""
        preview.path = await previewPath()?.rawValue ?? ""
        return preview
    }

    /// How the camera's frames reach the screen; `nil` when they do not, whatever was agreed once.
    func previewPath() async -> PreviewPath? {
        let isShown = display != nil && !problems.all.contains { $0.code == "display.degraded" }
        return isShown ? await session.running?.previewPath : nil
    }

    /// What a person sees now, as a PNG file in Base64.
    nonisolated func screenshot(ofSecond: Bool) async throws -> String {
        guard let screen = ofSecond ? second?.screen : screen else {
            throw CommandError(
                "display.none", "the configuration has no second display",
                next: "Set connector in [second_display].", exit: .usage)
        }
        do {
            return try await ScreenshotEncoder().png(of: try await screen.snapshot())
        } catch let error as DisplayError {
            throw CommandError(
                "display.missing", "no screenshot: \(error)", next: "See: vitrine status",
                exit: .temporary)
        }
    }
}

extension StatusReport.Preview {
    /// Of no display yet.
    init(_ statistics: ScreenStatistics) {
        self.init()
        framesShown = statistics.framesShown
        bytesCopiedPerFrame = statistics.bytesCopiedPerFrame
        if let p50 = statistics.latencyMilliseconds(0.5),
            let p99 = statistics.latencyMilliseconds(0.99)
        {
            latencyMilliseconds = StatusReport.Latency(p50: p50, p99: p99)
        }
    }
}
