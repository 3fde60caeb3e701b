// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
package import Display
package import LinuxIO
package import Media
package import Screens
internal import Settings
internal import Simulation

extension Board {
    /// Opens a display, or throws why it is not available now. Called on the screen's thread.
    package typealias Opener = @Sendable () throws(DisplayError) -> any ScanoutDevice

    package var gravity: Gravity { Gravity(settings.display.gravity) }

    package var openDisplay: Opener {
        let display = settings.display
        return opener(
            KMSDevice.Selection(
                driver: display.driver, connector: display.connector,
                otherConnector: settings.secondDisplay.connector,
                mode: KMSDevice.Selection.Mode(display.mode),
                rotation: Rotation(display.rotation)))
    }

    /// The second display, if one is configured. Throws if the process is out of descriptors.
    package func makeSecondScreen() throws(SystemCallError) -> Screen? {
        let display = settings.secondDisplay
        guard let connector = display.connector else { return nil }
        let selection = KMSDevice.Selection(
            driver: display.driver, connector: connector,
            mode: KMSDevice.Selection.Mode(display.mode),
            rotation: Rotation(display.rotation))
        return try Screen(gravity: Gravity(display.gravity), open: opener(selection))
    }

    package var splash: SplashPicture { SplashPicture(path: settings.display.splash) }

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
