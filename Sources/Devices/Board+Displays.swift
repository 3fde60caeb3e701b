// SPDX-License-Identifier: GPL-3.0-or-later

internal import Cache
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

    package var pictures: ScreenPictures {
        func fetched(_ kind: ContentSettings.Kind) -> String? {
            settings.contents.first { $0.kind == kind && !$0.url.isEmpty }.flatMap {
                ContentCache.shownPath(of: $0.url, in: settings.cache.path)
            }
        }
        var files = ScreenPictures.Files()
        files.splash = settings.display.splash.isEmpty ? nil : settings.display.splash
        files.fetchedSplash = fetched(.splash)
        files.fetchedBackground = fetched(.background)
        return ScreenPictures(files)
    }

    private func opener(_ selection: KMSDevice.Selection) -> Opener {
        if settings.board.kind == .simulated {
            var size = Dimensions(width: 1280, height: 720)
            if case .size(let own) = selection.mode { size = own }
            size = selection.rotation.apply(to: size)
            return { [size] () throws(DisplayError) in try MemoryScreen(size: size) }
        }
        return { [pictures, cardShares] () throws(DisplayError) in
            try KMSDevice(selection, sharing: cardShares) {
                pictures.splashPicture(for: $0)
            }
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
