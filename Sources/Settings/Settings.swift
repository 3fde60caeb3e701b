// SPDX-License-Identifier: GPL-3.0-or-later

/// The configuration of one appliance, as values. Running state is kept elsewhere.
public struct Settings: Sendable, Equatable {
    /// A gesture that a person makes with a button or chord.
    public enum Gesture: String, Sendable, CaseIterable {
        /// One press; for a chord, all its buttons pressed at once.
        case press
        case doublePress = "double_press"
        /// A press held for a while. The action happens while the button is still held.
        case longPress = "long_press"
        /// A press held for a while. A clip that it starts ends when the button is released.
        case hold
    }

    /// An action that a gesture triggers.
    public enum Action: String, Sendable, CaseIterable {
        case photo
        case burst
        /// Takes a short movie, forward and backward.
        case loop
        /// Starts a timelapse, or stops the running one.
        case timelapse
        case switchCamera = "switch_camera"
        /// Shows the visit's photos and clips, or goes back to the live picture.
        case browse
        /// Shows the visit's next photo or clip, while one is shown.
        case next
        /// Shows the visit's previous photo or clip, while one is shown.
        case previous
        /// Stops a countdown or ends a review.
        case cancel
        /// Does what the screen suggests: stops a running countdown, otherwise takes a photo.
        case primary
        /// Goes back: stops a countdown, ends a review, otherwise ends the guest's session.
        case secondary
        /// Starts a clip, or stops the running one.
        case record
        case endSession = "end_session"
        /// Does nothing; written `none`.
        case nothing = "none"
    }

    /// The library of photos.
    public var library = LibrarySettings()
    /// The cameras. A file without `[[camera]]` has one with the defaults: the first camera found.
    public var cameras = [CameraSettings()]
    /// The screen.
    public var display = DisplaySettings()
    /// A second screen that shows only the camera's picture.
    public var secondDisplay = SecondDisplaySettings()
    /// The buttons. A file without `[[button]]` has one virtual button, `shutter`.
    public var buttons = [ButtonSettings()]
    /// The actions of the buttons. Every button has an entry for every gesture; a chord such as
    /// `left+right` has one for ``Gesture/press`` only.
    public var actions = SettingsDecoder.defaultActions(of: [ButtonSettings().name])
    /// The timing of gestures.
    public var gesture = GestureSettings()
    /// The lamps.
    public var lamp = LampSettings()
    /// The flash light.
    public var flash = FlashSettings()
    /// The photos.
    public var photo = PhotoSettings()
    /// The clips.
    public var recording = RecordingSettings()
    /// The timelapses.
    public var timelapse = TimelapseSettings()
    /// The detection of motion and codes in the camera's pictures.
    public var detection = DetectionSettings()
    /// What is played on the screen.
    public var playback = PlaybackSettings()
    /// The guests and their visits.
    public var guest = GuestSettings()
    /// The copies of photos and videos at a remote.
    public var sync = SyncSettings()
    /// The files that are kept from URLs.
    public var cache = CacheSettings()
    /// Content from URLs. One with an empty URL is none.
    public var contents = [ContentSettings()]
    /// The permissions of users and programs.
    public var access = AccessSettings()
    /// The machine.
    public var board = BoardSettings()
    /// The log.
    public var log = LogSettings()

    /// The defaults, which are also what an empty file gives.
    public init() {}

    /// Returns the action of `gesture` on the button or chord `name`.
    public func action(for name: ButtonName, _ gesture: Gesture = .press) -> Action {
        actions[name]?[gesture] ?? .nothing
    }

    /// Whether movies can be made: by an action, the pre-roll or a permanent timelapse.
    public var recordsClips: Bool {
        recording.preRollSeconds > 0 || timelapse.isPermanent
            || actions.values.contains { actions in
                actions.values.contains { [.record, .loop, .timelapse].contains($0) }
            }
    }

    static let chordSeparator = "+" as Character

    /// Returns the buttons of the chord `name`, or `name` alone if it is a button's name.
    public static func chordMembers(_ name: ButtonName) -> [ButtonName] {
        name.split(separator: chordSeparator, omittingEmptySubsequences: false).map(String.init)
    }

    /// Reads and checks a configuration file. Relative paths in it start at the file's own folder.
    /// Throws every problem of the file, or the reason why it cannot be read.
    public static func load(file: String) throws(SettingsError) -> Settings {
        var settings = try parse(SettingsFile.bytes(of: file), fileName: file)
        settings.library.path = SettingsFile.resolve(settings.library.path, besides: file)
        if let path = settings.sync.rcloneConfiguration {
            settings.sync.rcloneConfiguration = SettingsFile.resolve(path, besides: file)
        }
        settings.cache.path = SettingsFile.resolve(settings.cache.path, besides: file)
        if let path = settings.cache.certificates {
            settings.cache.certificates = SettingsFile.resolve(path, besides: file)
        }
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

    /// Checks a configuration in memory, which messages call `fileName`. Relative paths stay as
    /// they are written. Throws every problem of the text.
    public static func parse(
        _ text: String, fileName: String
    ) throws(SettingsError) -> Settings {
        try parse(Array(text.utf8), fileName: fileName)
    }

    /// Does the same for bytes that may not be text.
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

    /// Returns the settings as TOML with every key; parsing it gives equal settings.
    public func toml() -> String {
        var writer = TOMLWriter()
        if cameras.isEmpty { writer.line(CameraSettings.table.name, "[]") }
        if buttons.isEmpty { writer.line(ButtonSettings.table.name, "[]") }
        if contents.isEmpty { writer.line(ContentSettings.table.name, "[]") }
        for part in SettingsPart.all { part.encode(self, &writer) }
        return writer.text
    }

    private init(_ decoder: inout SettingsDecoder) {
        self.init()
        decoder.refuseUnknownTables()
        for part in SettingsPart.all { part.decode(&decoder, &self) }
        let cameraTables = decoder.tableNodes(CameraSettings.table)
        let buttonTables = decoder.tableNodes(ButtonSettings.table)
        actions = decoder.actions(
            for: buttons.map(\.name), isComplete: decoder.hasAllNames(buttonTables))
        decoder.checkCameras(cameras, cameraTables)
        decoder.checkButtons(buttons, buttonTables)
        decoder.checkLines(buttons, buttonTables, lamp, flash)
        decoder.checkGestures(buttons, buttonTables, gesture)
        decoder.checkFlash(flash)
        decoder.checkDisplays(display, secondDisplay)
        decoder.checkContents(contents, decoder.tableNodes(ContentSettings.table))
    }
}
