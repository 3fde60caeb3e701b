// SPDX-License-Identifier: GPL-3.0-or-later

package import Capture
package import Controls
package import Devices
internal import FoundationEssentials
package import Health
package import Kiosk
internal import LinuxIO
package import Screens
internal import Settings

/// The parts of a configuration that work now.
public struct WorkingParts: Sendable, Equatable {
    /// Frames arrive, and a press is answered with a photo.
    public var camera = false
    /// A display is in use, or none is plugged in.
    public var display = false
    /// The display shows the camera's picture.
    public var preview = false
    /// The second display shows the picture, or is not plugged in; `nil` if none is configured.
    public var secondDisplay: Bool?
    /// The library is open and takes photos.
    public var library = false
    /// The names of the working buttons.
    public var buttons: Set<String> = []

    /// Nothing works.
    public init() {}

    /// The parts that work with every configuration that is remembered as good.
    public static let good: WorkingParts = {
        var parts = WorkingParts()
        (parts.camera, parts.display, parts.library) = (true, true, true)
        return parts
    }()

    /// Whether at least the parts of ``good`` work.
    public var isGood: Bool { missing(from: .good, buttons: []).isEmpty }

    /// The parts that work in either.
    public func union(_ other: WorkingParts) -> WorkingParts {
        var parts = self
        parts.camera = camera || other.camera
        parts.display = display || other.display
        parts.preview = preview || other.preview
        parts.secondDisplay = secondDisplay == true ? true : other.secondDisplay ?? secondDisplay
        parts.library = library || other.library
        parts.buttons.formUnion(other.buttons)
        return parts
    }

    /// Names the parts that worked in `before` and do not work here, apart from buttons that the
    /// configuration no longer has.
    public func missing(from before: WorkingParts, buttons known: Set<String>) -> [String] {
        var names: [String] = []
        if before.camera && !camera { names.append("the camera") }
        if before.display && !display { names.append("the display") }
        if before.preview && !preview { names.append("the preview") }
        if before.secondDisplay == true && secondDisplay == false {
            names.append("the second display")
        }
        if before.library && !library { names.append("the library") }
        for button in before.buttons.intersection(known).subtracting(buttons).sorted() {
            names.append("button \(button)")
        }
        return names
    }
}

extension WorkingParts {
    /// Asks the parts of an appliance; waits for no disk.
    package init(
        _ board: Board, _ kiosk: KioskRunner, _ session: CaptureSession,
        _ displays: [DisplaySupervisor], _ buttons: ButtonBoard, _ problems: ProblemBoard
    ) async {
        let isStarting = await kiosk.state == .starting
        camera = await session.state == .running && !isStarting
        let attached = AttachedDisplays(second: board.settings.secondDisplay.connector)
        display = await displays[0].connected != nil || !attached.hasFirst
        preview = await displays[0].shownPath() != nil
        if displays.count > 1 {
            secondDisplay = await displays[1].shownPath() != nil || !attached.hasSecond
        }
        library = !problems.current.all.contains {
            $0.code.hasPrefix("library.") && $0.severity == .failed
        }
        let working = buttons.statistics.filter { [.ready, .pressed].contains($0.state) }
        self.buttons = Set(working.map(\.name))
    }
}

/// The displays that are plugged in, as the kernel last saw them.
private struct AttachedDisplays {
    private(set) var hasFirst = false
    private(set) var hasSecond = false

    /// - Parameter second: the connector of the configured second display.
    init(second: String?) {
        let folder = "/sys/class/drm"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names {
            let state = try? readSmallFile("\(folder)/\(name)/status")
            guard state?.hasPrefix("connected") ?? false else { continue }
            let isSecond = second.map { name.hasSuffix("-\($0)") } ?? false
            if isSecond { hasSecond = true } else { hasFirst = true }
        }
    }
}
