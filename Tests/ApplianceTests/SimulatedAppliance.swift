// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import Controls
import Library
import LinuxIO
import Settings
import Testing
import TestSupport

/// Returns the settings of a simulated board with a library in `folder`.
func simulatedSettings(in folder: TemporaryFolder, _ more: String = "") throws -> Settings {
    let text = """
        board.kind = "simulated"
        library = { path = "\(folder.path)/library", reserve_mb = 1 }
        \(more)
        """
    return try Settings.parse(text, fileName: "test")
}

extension Appliance {
    /// Returns an appliance in this process that is not started yet. A busy machine may open its
    /// library late.
    static func simulated(
        in folder: TemporaryFolder, _ more: String = "", hardware: (any ControlHardware)? = nil,
        freeBytes: AssetLibrary.FreeBytes? = nil
    ) throws -> Appliance {
        try Appliance(
            simulatedSettings(in: folder, more), version: "test",
            socket: folder.path(of: "control.sock"), startTime: Clock.monotonic,
            hardware: hardware, freeBytes: freeBytes, patience: .seconds(300))
    }

    /// Waits until `condition` is true of the appliance.
    func wait(until condition: (Appliance) async -> Bool) async throws {
        try await waitUntil { await condition(self) }
    }
}
