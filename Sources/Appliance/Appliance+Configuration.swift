// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
public import CommandProtocol
internal import Controls
internal import FoundationEssentials
internal import Health
internal import Kiosk
internal import LinuxIO
internal import Settings

/// What an appliance does now of what its configuration asks for.
public struct WorkingParts: Sendable, Equatable {
    /// Its frames come, and a press is answered with a photo.
    public var camera = false
    /// One is in use, or none is plugged in.
    public var display = false
    /// The camera's picture on the display.
    public var preview = false
    /// The same on the second display, or that is not plugged in; `nil` where the configuration has none.
    public var secondDisplay: Bool?
    /// It is open, and a photo can be kept.
    public var library = false
    /// By name.
    public var buttons: Set<String> = []

    /// Nothing works.
    public init() {}

    /// What every configuration that is remembered as a good one could do.
    public static let good: WorkingParts = {
        var parts = WorkingParts()
        (parts.camera, parts.display, parts.library) = (true, true, true)
        return parts
    }()

    /// Whether this is all that makes a configuration a good one, or more.
    public var isGood: Bool { missing(from: .good, buttons: []).isEmpty }

    /// What either does.
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

    /// What of `before` is not here. A button that the new configuration no longer has is not missed.
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

extension Appliance {
    /// What works now, as far as is known: no medium that does not answer is waited for.
    public func workingParts() async -> WorkingParts {
        var parts = WorkingParts()
        let isStarting = await kiosk.state == .starting
        parts.camera = await session.state == .running && !isStarting
        parts.display = display != nil || !isPluggedIn { !$0 }
        parts.preview = await previewPath() != nil
        if second != nil {
            let isShown = await secondDisplayStatus?.path.isEmpty == false
            parts.secondDisplay = isShown || !isPluggedIn { $0 }
        }
        parts.library = !problems.all.contains {
            $0.code.hasPrefix("library.") && $0.severity == .failed
        }
        let working = buttons.statistics.filter { [.ready, .pressed].contains($0.state) }
        parts.buttons = Set(working.map(\.name))
        return parts
    }

    /// Whether a display is plugged in, as the kernel last saw it.
    ///
    /// - Parameter isMeant: given whether one is the configuration's second.
    private func isPluggedIn(_ isMeant: (_ isSecond: Bool) -> Bool) -> Bool {
        let folder = "/sys/class/drm"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let second = board.settings.secondDisplay.connector.map { "-\($0)" }
        return names.contains { name in
            guard isMeant(second.map(name.hasSuffix) ?? false) else { return false }
            let state = try? readSmallFile("\(folder)/\(name)/status")
            return state?.hasPrefix("connected") ?? false
        }
    }

    /// The buttons of the configuration, whether they work or not; no chords.
    public nonisolated var buttonNames: Set<String> { Set(board.settings.buttons.map(\.name)) }

    /// Says in `status` which configuration this is.
    ///
    /// - Parameter problem: why it is not the one in the file; `nil` when it is.
    public func setConfiguration(
        _ configuration: StatusReport.ConfigurationState, problem: String? = nil
    ) {
        self.configuration = configuration
        problems.clear(prefix: "configuration.")
        if let problem {
            problems.raise("configuration.\(configuration.state)", problem, .degraded)
        }
    }
}
