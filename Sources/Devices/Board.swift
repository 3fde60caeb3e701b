// SPDX-License-Identifier: GPL-3.0-or-later

package import Capture
package import Controls
internal import Display
internal import GPIO
package import LinuxIO
internal import Logging
internal import Media
package import Recording
package import Settings
internal import Simulation

/// Turns the settings into devices: the cameras, displays, buttons and lamps of this machine.
package struct Board: Sendable {
    package let settings: Settings
    package let hardware: any ControlHardware
    /// The buttons that take photos, alone or in a chord.
    package let photoButtons: Set<String>
    /// The buttons that record clips or timelapses, alone or in a chord.
    package let movieButtons: Set<String>
    /// Divides one card among two displays; `nil` with one display.
    let cardShares: CardShares?

    /// A `nil` hardware is the kernel's, or a virtual panel on a simulated board.
    package init(settings: Settings, hardware: (any ControlHardware)? = nil) {
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

    package var name: String {
        if !settings.board.name.isEmpty { return settings.board.name }
        if settings.board.kind == .simulated { return "host" }
        let model = (try? readSmallFile("/proc/device-tree/model")) ?? ""
        let dmi = (try? readSmallFile("/sys/class/dmi/id/product_name")) ?? ""
        let text = (model.isEmpty ? dmi : model).filter { $0 != "\0" && $0 != "\n" }
        return text.isEmpty ? "unknown" : text
    }

    package let camera: ChosenCamera

    private func isSimulated(_ camera: CameraSettings) -> Bool {
        camera.match.map { $0.driver == CameraMatch.simulatedDriver }
            ?? (settings.board.kind == .simulated)
    }

    package var captureDevice: CaptureDevice { device(camera.settings) }

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

    package var captureInput: CaptureDeviceInput { input(camera.settings) }

    package func input(_ camera: CameraSettings) -> CaptureDeviceInput {
        CaptureDeviceInput(
            device: device(camera), pixelFormat: camera.pixelFormat.flatMap { PixelFormat($0) },
            dimensions: camera.dimensions,
            frameRate: camera.frameRate,
            memory: CaptureDeviceInput.MemoryPolicy(rawValue: camera.memory.rawValue) ?? .auto,
            bufferCount: camera.buffers > 0 ? camera.buffers : nil)
    }

    /// Says that the configured microphone is missing; `nil` if it is there or none is configured.
    package static func missingMicrophone(_ settings: Settings) -> String? {
        let wanted = settings.recording.microphone
        guard let choice = Microphone.Choice(setting: wanted) else { return nil }
        let found = Microphone.devices.map(\.id)
        if choice.device(among: found) != nil { return nil }
        let others = found.isEmpty ? "none" : found.joined(separator: ", ")
        return "no microphone \(wanted); there is \(others)"
    }

    /// Opens nothing yet; returns `nil` if clips have no sound. Throws if descriptors run out.
    package func makeMicrophone() throws(SystemCallError) -> Microphone? {
        guard let choice = Microphone.Choice(setting: settings.recording.microphone) else {
            return nil
        }
        let format = AudioFormat(
            sampleRate: 48_000, channels: settings.recording.soundChannels)
        return try Microphone(choice, format)
    }

    /// Adds the camera, the microphone and the outputs, turned as the camera is mounted.
    package func configure(
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

    /// Creates the search for motion and codes, which calls `moved` on the output's thread. Returns
    /// `nil` if nothing is configured, or if it cannot work: a kiosk takes photos without it.
    package func makeWatcher(moved: @escaping @Sendable () -> Void) -> SceneWatcher? {
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

    package func use(
        _ camera: CameraSettings, in session: inout CaptureSession.Configuration
    ) throws(CaptureError) {
        session.preset = Preset(rawValue: camera.preset) ?? .high
        session.removeInput()
        try session.addInput(input(camera))
        guard let preview = session.preview else { return }
        try orient(preview, camera, in: &session)
    }

    /// The clockwise degrees by which a preview is turned. The setting of a board that has an
    /// accelerometer says how the sensor is mounted, and turns no preview.
    package var previewRotation: Int {
        settings.photo.orientation == .fixed ? settings.photo.mountRotation.rawValue : 0
    }

    /// Turns the preview upright, however the camera is mounted. A person sees themselves mirrored,
    /// and sees what they point a camera at unmirrored.
    package func orient(
        _ preview: PreviewOutput, _ camera: CameraSettings,
        in session: inout CaptureSession.Configuration
    ) throws(CaptureError) {
        try session.withConnection(to: preview) { connection throws(CaptureError) in
            try connection.setVideoRotationAngle(previewRotation)
            try connection.setVideoMirrored(
                settings.display.mirror && camera.position != "back")
        }
    }

    package func addSecondPreview(
        _ preview: PreviewOutput, to session: inout CaptureSession.Configuration
    ) throws(CaptureError) {
        try session.addOutput(preview)
        try session.withConnection(to: preview) { connection throws(CaptureError) in
            try connection.setVideoRotationAngle(previewRotation)
            try connection.setVideoMirrored(settings.secondDisplay.mirror)
        }
    }

    /// The sensor that tells how photos have to be turned; `nil` if none is configured.
    package var orientationSampler: OrientationSampler? {
        guard settings.photo.orientation == .sensor else { return nil }
        return OrientationSampler(looksAtPerson: { [camera] in camera.looksAtPerson })
    }

    package var buttons: [ButtonConfiguration] {
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

    package var lamps: (ready: OutputLine?, recording: OutputLine?, fault: OutputLine?) {
        let (lamp, isLow) = (settings.lamp, settings.lamp.activeLow)
        return (
            output("ready", lamp.ready, isLow), output("recording", lamp.recording, isLow),
            output("fault", lamp.fault, isLow)
        )
    }

    package var flash: OutputLine? {
        output("flash", settings.flash.line, settings.flash.activeLow)
    }

    private func output(_ name: String, _ line: GPIOLineName?, _ activeLow: Bool) -> OutputLine? {
        line.map {
            OutputLine(
                name: name, chip: $0.chip, line: $0.line, activeLow: activeLow, hardware: hardware)
        }
    }
}

extension CameraSettings {
    /// The configured size; `nil` leaves it to the preset.
    fileprivate var dimensions: Dimensions? {
        guard let width, let height else { return nil }
        return Dimensions(width: width, height: height)
    }
}
