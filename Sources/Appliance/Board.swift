// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Controls
internal import Display
internal import GPIO
internal import LinuxIO
internal import Logging
internal import Media
internal import Recording
internal import Settings
internal import Simulation

/// The settings as devices: what this machine's camera, display and buttons are.
struct Board: Sendable {
    let settings: Settings
    /// Buttons, lamps and flash.
    let hardware: any ControlHardware
    /// Those that a photo is pressed for with, alone or in a chord.
    let photoButtons: Set<String>
    let movieButtons: Set<String>
    /// Where there are two displays, which may be of one card.
    let cardShares: CardShares?

    /// - Parameter hardware: `nil` for the kernel's, on a simulated board with a panel beside it.
    init(settings: Settings, hardware: (any ControlHardware)? = nil) {
        self.settings = settings
        camera = ChosenCamera(settings.cameras)
        self.hardware = hardware ?? Self.hardware(of: settings.board.kind)
        photoButtons = Self.buttons(for: [.photo, .burst, .loop, .primary], settings)
        movieButtons = Self.buttons(for: [.record, .timelapse], settings)
        cardShares = settings.secondDisplay.connector.map { _ in CardShares() }
    }

    private static func hardware(of kind: BoardSettings.Kind) -> any ControlHardware {
        kind == .simulated ? VirtualPanel() : LinuxControlHardware()
    }

    /// The board's name in `status`.
    var name: String {
        if !settings.board.name.isEmpty { return settings.board.name }
        if settings.board.kind == .simulated { return "host" }
        let model = (try? readSmallFile("/proc/device-tree/model")) ?? ""
        let dmi = (try? readSmallFile("/sys/class/dmi/id/product_name")) ?? ""
        let text = (model.isEmpty ? dmi : model).filter { $0 != "\0" && $0 != "\n" }
        return text.isEmpty ? "unknown" : text
    }

    /// The cameras, of which the first one is used at the start.
    let camera: ChosenCamera

    private func isSimulated(_ camera: CameraSettings) -> Bool {
        camera.match.map { $0.driver == CameraMatch.simulatedDriver }
            ?? (settings.board.kind == .simulated)
    }

    /// The camera that is used now.
    var captureDevice: CaptureDevice { device(camera.settings) }

    private func device(_ camera: CameraSettings) -> CaptureDevice {
        if settings.cameras.isEmpty {
            return CaptureDevice(uniqueID: "none") { () throws(CaptureError) in
                throw CaptureError(.noDevice, "the configuration has no camera")
            }
        }
        let position = CaptureDevice.Position(rawValue: camera.position) ?? .external
        if isSimulated(camera) {
            let source = camera.source
            return CaptureDevice(uniqueID: camera.id, position: position) {
                () throws(CaptureError) in try SimulatedCamera.showing(source)
            }
        }
        let match = camera.match.map {
            CaptureDevice.Match(serial: $0.serial, path: $0.path, driver: $0.driver)
        }
        return CaptureDevice(
            uniqueID: camera.id, position: position, match: match ?? CaptureDevice.Match(),
            deviceTypes: [CaptureDevice.DeviceType(rawValue: camera.deviceType)].compactMap(\.self),
            pixelFormat: camera.pixelFormat.flatMap { PixelFormat($0) },
            dimensions: camera.dimensions)
    }

    /// Of the camera that is used now.
    var captureInput: CaptureDeviceInput { input(camera.settings) }

    func input(_ camera: CameraSettings) -> CaptureDeviceInput {
        CaptureDeviceInput(
            device: device(camera), pixelFormat: camera.pixelFormat.flatMap { PixelFormat($0) },
            dimensions: camera.dimensions,
            frameRate: camera.frameRate,
            memory: CaptureDeviceInput.MemoryPolicy(rawValue: camera.memory.rawValue) ?? .auto,
            bufferCount: camera.buffers > 0 ? camera.buffers : nil)
    }

    /// What is to be said when movies are to have sound and there is no such microphone; `nil` where all is well.
    static func missingMicrophone(_ settings: Settings) -> String? {
        let wanted = settings.recording.microphone
        guard let choice = Microphone.Choice(setting: wanted) else { return nil }
        let found = Microphone.devices.map(\.id)
        if choice.device(among: found) != nil { return nil }
        let others = found.isEmpty ? "none" : found.joined(separator: ", ")
        return "no microphone \(wanted); there is \(others)"
    }

    /// The microphone of movies; `nil` where they have no sound. Throws when the process is out of descriptors.
    func makeMicrophone() throws(SystemCallError) -> Microphone? {
        guard let choice = Microphone.Choice(setting: settings.recording.microphone) else {
            return nil
        }
        let format = AudioFormat(
            sampleRate: 48_000, channels: settings.recording.soundChannels)
        return try Microphone(choice, format)
    }

    /// Camera, microphone and photos, turned as the camera is mounted.
    func configure(
        _ session: inout CaptureSession.Configuration, photos: PhotoOutput,
        movies: MovieFileOutput? = nil, microphone: Microphone? = nil
    ) throws(CaptureError) {
        try use(camera.settings, in: &session)
        if let microphone {
            try session.addInput(CaptureDeviceInput(device: CaptureDevice(microphone: microphone)))
        }
        let outputs: [any CaptureOutput] = [photos] + (movies.map { [$0] } ?? [])
        for output in outputs {
            try session.addOutput(output)
            try session.withConnection(to: output) { connection throws(CaptureError) in
                try connection.setVideoRotationAngle(settings.photo.mountRotation.rawValue)
                if connection.isVideoStabilizationSupported {
                    let mode = settings.recording.stabilization
                    try connection.setPreferredVideoStabilizationMode(
                        mode == .auto ? .auto : .off)
                }
            }
        }
    }

    /// What looks for motion and codes; `nil` where nothing is to, or nothing can: a kiosk takes photos all the same.
    func makeWatcher(moved: @escaping @Sendable () -> Void) -> SceneWatcher? {
        let wanted = settings.detection
        guard wanted.wakesOnMotion || wanted.readsCodes else { return nil }
        do {
            return try SceneWatcher(wanted, moved: moved)
        } catch {
            Logger(label: "detection").error(
                "nothing is looked for", metadata: ["reason": "\(error)"])
            return nil
        }
    }

    /// Makes a camera the session's, in the place of another one.
    func use(
        _ camera: CameraSettings, in session: inout CaptureSession.Configuration
    ) throws(CaptureError) {
        session.preset = Preset(rawValue: camera.preset) ?? .high
        session.removeInput()
        try session.addInput(input(camera))
        guard let preview = session.preview else { return }
        try orient(preview, camera, in: &session)
    }

    /// Degrees by which a preview is turned. Beside an accelerometer the setting is how that is mounted, not the camera.
    var previewRotation: Int {
        settings.photo.orientation == .fixed ? settings.photo.mountRotation.rawValue : 0
    }

    /// Upright, however the camera is mounted. A person sees themselves as in a looking glass; what they point a camera at
    /// they see as it is.
    func orient(
        _ preview: PreviewOutput, _ camera: CameraSettings,
        in session: inout CaptureSession.Configuration
    ) throws(CaptureError) {
        try session.withConnection(to: preview) { connection throws(CaptureError) in
            try connection.setVideoRotationAngle(previewRotation)
            try connection.setVideoMirrored(
                settings.display.mirror && camera.position != "back")
        }
    }

    /// Tells how photos have to be turned, where that is configured.
    var orientationSampler: OrientationSampler? {
        guard settings.photo.orientation == .sensor else { return nil }
        return OrientationSampler(looksAtPerson: { [camera] in camera.looksAtPerson })
    }

    var buttons: [ButtonConfiguration] {
        settings.buttons.map { button in
            let source: ButtonConfiguration.Source =
                if let line = button.line {
                    .line(chip: line.chip, line: line.line)
                } else if let key = button.key {
                    .key(name: key, device: button.device)
                } else { .virtual }
            let bias: LineBias =
                switch button.bias {
                case .asIs: .asIs
                case .pullUp: .pullUp
                case .pullDown: .pullDown
                case .disabled: .disabled
                }
            return ButtonConfiguration(
                name: button.name, source: source, activeLow: button.activeLow, bias: bias,
                debounceMilliseconds: button.debounceMilliseconds,
                shortestPressMilliseconds: button.shortestPressMilliseconds,
                stuckSeconds: button.stuckSeconds)
        }
    }

    var lamps: (ready: OutputLine?, recording: OutputLine?, fault: OutputLine?) {
        let (lamp, isLow) = (settings.lamp, settings.lamp.activeLow)
        return (
            output("ready", lamp.ready, isLow), output("recording", lamp.recording, isLow),
            output("fault", lamp.fault, isLow)
        )
    }

    var flash: OutputLine? { output("flash", settings.flash.line, settings.flash.activeLow) }

    private func output(_ name: String, _ line: GPIOLineName?, _ activeLow: Bool) -> OutputLine? {
        line.map {
            OutputLine(
                name: name, chip: $0.chip, line: $0.line, activeLow: activeLow, hardware: hardware)
        }
    }
}

extension CameraSettings {
    /// What is asked of it; `nil` leaves it to the preset.
    fileprivate var dimensions: Dimensions? {
        guard let width, let height else { return nil }
        return Dimensions(width: width, height: height)
    }
}
