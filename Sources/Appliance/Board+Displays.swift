// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Display
internal import LinuxIO
internal import Media
internal import Settings
internal import Simulation

extension Board {
    /// Takes a display, or says why it cannot be had now.
    typealias Opener = @Sendable () throws(DisplayError) -> any ScanoutDevice

    var gravity: Gravity { Gravity(settings.display.gravity) }

    /// Takes the display; called on the screen's thread.
    var openDisplay: Opener {
        let display = settings.display
        return opener(
            KMSDevice.Selection(
                driver: display.driver, connector: display.connector,
                otherConnector: settings.secondDisplay.connector,
                mode: KMSDevice.Selection.Mode(display.mode),
                rotation: Rotation(display.rotation)))
    }

    /// The second display with what is shown there; `nil` where there is none. Throws when the process is out of
    /// descriptors.
    func makeSecondDisplay() throws(SystemCallError) -> SecondDisplay? {
        let display = settings.secondDisplay
        guard let connector = display.connector else { return nil }
        let selection = KMSDevice.Selection(
            driver: display.driver, connector: connector,
            mode: KMSDevice.Selection.Mode(display.mode),
            rotation: Rotation(display.rotation))
        return SecondDisplay(
            try Screen(gravity: Gravity(display.gravity), open: opener(selection)), splash: splash,
            isMirrored: display.mirror)
    }

    private func opener(_ selection: KMSDevice.Selection) -> Opener {
        if settings.board.kind == .simulated {
            var size = Dimensions(width: 1280, height: 720)
            if case .size(let own) = selection.mode { size = own }
            size = selection.rotation.apply(to: size)
            return { [size] () throws(DisplayError) in try MemoryScreen(size: size) }
        }
        return { [splash, cardShares] () throws(DisplayError) in
            try KMSDevice(selection, sharing: cardShares) { splash.picture(for: $0) }
        }
    }
}

extension KMSDevice.Selection.Mode {
    fileprivate init(_ setting: String) {
        self = Dimensions(setting).map { .size($0) } ?? (setting == "native" ? .native : .automatic)
    }
}

extension Rotation {
    fileprivate init(_ setting: MountRotation) {
        self = Rotation(rawValue: setting.rawValue) ?? .none
    }
}

extension Gravity {
    fileprivate init(_ setting: DisplaySettings.Gravity) {
        self = Gravity(rawValue: setting.rawValue) ?? .resizeAspect
    }
}
