// SPDX-License-Identifier: GPL-3.0-or-later

/// The configuration of one appliance, as values. What runs is kept elsewhere; a `Settings`
/// never changes behind its reader.
public struct Settings: Sendable, Equatable {
    /// What a person does with a button.
    public enum Gesture: String, Sendable, CaseIterable {
        /// Pressing it once; of a chord, all its buttons at once.
        case press
        /// Pressing it twice.
        case doublePress = "double_press"
        /// Pressing it for a while.
        case longPress = "long_press"
        /// The same, with what it starts ending at the release.
        case hold
    }

    /// What a button does.
    public enum Action: String, Sendable, CaseIterable {
        /// Takes a photo.
        case photo
        /// Takes photos in quick succession.
        case burst
        /// Takes a short movie, forward and backward.
        case loop
        /// Begins a timelapse, or ends the one that runs.
        case timelapse
        /// Goes over to the next camera.
        case switchCamera = "switch_camera"
        /// Ends a countdown or a review.
        case cancel
        /// What the screen suggests: a photo; during a countdown its end.
        case primary
        /// The way back: out of a countdown or review, else the end of the guest's session.
        case secondary
        /// Begins a clip, or ends the one that is being recorded.
        case record
        /// Ends the guest's session.
        case endSession = "end_session"
        /// Nothing; written `none`.
        case nothing = "none"
    }

    /// Where photos are kept.
    public var library: LibrarySettings
    /// The cameras; without any in the file, one that is whatever camera is found first.
    public var cameras: [CameraSettings]
    /// The screen.
    public var display: DisplaySettings
    /// Another one, for the picture alone.
    public var secondDisplay: SecondDisplaySettings
    /// The buttons; without any in the file, one virtual `shutter`.
    public var buttons: [ButtonSettings]
    /// What the buttons do: every button has an entry for every gesture. Chords, such as `left+right`,
    /// have one for ``Gesture/press``.
    public var actions: [ButtonName: [Gesture: Action]]
    /// How gestures are told apart.
    public var gesture: GestureSettings
    /// The lamps.
    public var lamp: LampSettings
    /// The flash light.
    public var flash: FlashSettings
    /// The photos.
    public var photo: PhotoSettings
    /// Clips.
    public var recording: RecordingSettings
    /// Timelapses.
    public var timelapse: TimelapseSettings
    /// What is looked for in the camera's pictures.
    public var detection: DetectionSettings
    /// Guests and their visits.
    public var guest: GuestSettings
    /// Who may do what.
    public var access: AccessSettings
    /// The machine.
    public var board: BoardSettings
    /// The log.
    public var log: LogSettings

    /// The defaults: what a file gives that defines nothing.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(&decoder)
    }

    /// What `gesture` on the button `name` does.
    public func action(for name: ButtonName, _ gesture: Gesture = .press) -> Action {
        actions[name]?[gesture] ?? .nothing
    }

    /// Whether a button records clips, or the encoder works beforehand for one.
    public var recordsClips: Bool {
        recording.preRollSeconds > 0 || timelapse.isPermanent
            || actions.values.contains { actions in
                actions.values.contains { [.record, .loop, .timelapse].contains($0) }
            }
    }

    static let chordSeparator = "+" as Character

    /// The buttons of the chord `name`; of a button's name, itself.
    public static func chordMembers(_ name: ButtonName) -> [ButtonName] {
        name.split(separator: chordSeparator, omittingEmptySubsequences: false).map(String.init)
    }

    /// Reads and checks a configuration file. Relative paths in it start at its own folder.
    /// Throws everything that is wrong with it, or why it cannot be read.
    public static func load(file: String) throws(SettingsError) -> Settings {
        var settings = try parse(SettingsFile.bytes(of: file), fileName: file)
        settings.library.path = SettingsFile.resolve(settings.library.path, besides: file)
        for index in settings.cameras.indices
        where !["", "pattern"].contains(settings.cameras[index].source) {
            settings.cameras[index].source = SettingsFile.resolve(
                settings.cameras[index].source, besides: file)
        }
        if !settings.display.splash.isEmpty {
            settings.display.splash = SettingsFile.resolve(settings.display.splash, besides: file)
        }
        return settings
    }

    /// Checks a configuration that is already in memory; `fileName` is for messages. Paths stay
    /// as they are written. Throws everything that is wrong with it.
    public static func parse(
        _ text: String, fileName: String
    ) throws(SettingsError) -> Settings {
        try parse(Array(text.utf8), fileName: fileName)
    }

    /// The same for bytes that need not be text.
    package static func parse(_ bytes: [UInt8], fileName: String) throws(SettingsError) -> Settings
    {
        let document: TOMLDocument
        do throws(TOMLSyntaxError) {
            document = try TOMLDocument(parsing: bytes)
        } catch {
            throw SettingsError(problems: [
                SettingsProblem(
                    error.code, file: fileName, line: error.line, column: error.column,
                    message: error.message)
            ])
        }
        var decoder = SettingsDecoder(document, file: fileName)
        let settings = Settings(&decoder)
        guard decoder.problems.isEmpty else {
            throw SettingsError(
                problems: decoder.problems.sorted { first, second in
                    (first.line ?? 0, first.column ?? 0, first.key ?? "", first.message)
                        < (second.line ?? 0, second.column ?? 0, second.key ?? "", second.message)
                })
        }
        return settings
    }

    /// The settings as a TOML text with every key, which parses to the same settings.
    public func toml() -> String {
        var writer = TOMLWriter()
        if cameras.isEmpty { writer.line(CameraKeys.table.name, "[]") }
        if buttons.isEmpty { writer.line(ButtonKeys.table.name, "[]") }
        library.write(to: &writer)
        for camera in cameras { camera.write(to: &writer) }
        display.write(to: &writer)
        secondDisplay.write(to: &writer)
        for button in buttons { button.write(to: &writer) }
        writer.start(ActionKeys.table)
        for (name, gestures) in actions.sorted(by: { $0.key < $1.key }) {
            for (gesture, action) in gestures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                writer.line(
                    "\(TOMLText.key(name)).\(gesture.rawValue)", ActionKeys.press.encode(action))
            }
        }
        gesture.write(to: &writer)
        lamp.write(to: &writer)
        flash.write(to: &writer)
        photo.write(to: &writer)
        recording.write(to: &writer)
        timelapse.write(to: &writer)
        detection.write(to: &writer)
        guest.write(to: &writer)
        access.write(to: &writer)
        board.write(to: &writer)
        log.write(to: &writer)
        return writer.text
    }

    private init(_ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownTables()
        library = LibrarySettings(decoder.table(LibraryKeys.table), &decoder)
        let cameraTables = decoder.tables(CameraKeys.table)
        cameras = (cameraTables ?? []).map { CameraSettings($0, &decoder) }
        if cameraTables == nil { cameras = [CameraSettings(nil, &decoder)] }
        display = DisplaySettings(decoder.table(DisplayKeys.table), &decoder)
        secondDisplay = SecondDisplaySettings(
            decoder.table(SecondDisplayKeys.table), &decoder)
        let buttonTables = decoder.tables(ButtonKeys.table)
        buttons = (buttonTables ?? []).map { ButtonSettings($0, &decoder) }
        if buttonTables == nil { buttons = [ButtonSettings(nil, &decoder)] }
        gesture = GestureSettings(decoder.table(GestureKeys.table), &decoder)
        lamp = LampSettings(decoder.table(LampKeys.table), &decoder)
        flash = FlashSettings(decoder.table(FlashKeys.table), &decoder)
        photo = PhotoSettings(decoder.table(PhotoKeys.table), &decoder)
        recording = RecordingSettings(decoder.table(RecordingKeys.table), &decoder)
        timelapse = TimelapseSettings(decoder.table(TimelapseKeys.table), &decoder)
        detection = DetectionSettings(decoder.table(DetectionKeys.table), &decoder)
        guest = GuestSettings(decoder.table(GuestKeys.table), &decoder)
        access = AccessSettings(decoder.table(AccessKeys.table), &decoder)
        board = BoardSettings(decoder.table(BoardKeys.table), &decoder)
        log = LogSettings(decoder.table(LogKeys.table), &decoder)
        actions = decoder.actions(
            for: buttons.map(\.name), isComplete: decoder.hasAllNames(buttonTables ?? []))

        decoder.checkCameras(cameras, cameraTables ?? [])
        decoder.checkButtons(buttons, buttonTables ?? [])
        decoder.checkLines(buttons, buttonTables ?? [], lamp, flash)
        decoder.checkGestures(buttons, buttonTables ?? [], gesture)
        decoder.checkFlash(flash)
        decoder.checkDisplays(display, secondDisplay)
    }
}
