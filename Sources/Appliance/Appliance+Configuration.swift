// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
public import CommandProtocol
internal import Controls
internal import Health
internal import Kiosk
internal import Settings

/// What an appliance does now of what its configuration asks for.
public struct WorkingParts: Sendable, Equatable {
    /// Its frames come, and a press is answered with a photo.
    public var camera = false
    /// One is in use.
    public var display = false
    /// The camera's picture on the display.
    public var preview = false
    /// It is open, and a photo can be kept.
    public var library = false
    /// By name.
    public var buttons: Set<String> = []

    /// Nothing works.
    public init() {}

    /// What of `before` is not here. A button that the new configuration no longer has is not missed.
    public func missing(from before: WorkingParts, buttons known: Set<String>) -> [String] {
        var names: [String] = []
        if before.camera && !camera { names.append("the camera") }
        if before.display && !display { names.append("the display") }
        if before.preview && !preview { names.append("the preview") }
        if before.library && !library { names.append("the library") }
        for button in before.buttons.intersection(known).subtracting(buttons).sorted() {
            names.append("button \(button)")
        }
        return names
    }
}

extension Appliance {
    /// What works now.
    public func workingParts() async -> WorkingParts {
        var parts = WorkingParts()
        let isStarting = await kiosk.state == .starting
        parts.camera = await session.state == .running && !isStarting
        parts.display = display != nil
        parts.preview = await previewPath() != nil
        parts.library = await !library.status().degraded
        let working = buttons.statistics.filter { [.ready, .pressed].contains($0.state) }
        parts.buttons = Set(working.map(\.name))
        return parts
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
