// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings
internal import Synchronization

/// Which of the configuration's cameras is used now. Any thread.
final class ChosenCamera: Sendable {
    let cameras: [CameraSettings]
    private let index = Mutex(0)
    private let runningName = Mutex("")

    init(_ cameras: [CameraSettings]) { self.cameras = cameras }

    /// The defaults without any.
    var settings: CameraSettings {
        index.withLock { cameras.indices.contains($0) ? cameras[$0] : CameraSettings() }
    }

    /// The configuration's name for it.
    var id: String { settings.id }

    /// Who made it, as configured; may be empty.
    var make: String { settings.make }

    /// What pictures say of it: as configured, else what the camera that runs calls itself.
    var model: String {
        let configured = settings.model
        return configured.isEmpty ? runningName.withLock(\.self) : configured
    }

    /// It runs, and calls itself so.
    func runs(as name: String) { runningName.withLock { $0 = name } }

    var looksAtPerson: Bool { settings.position == "front" }

    /// The one with this name, the one behind that of now without one; `nil` where there is no such, or no other.
    func other(named name: String?) -> CameraSettings? {
        if let name { return cameras.first { $0.id == name } }
        guard cameras.count > 1 else { return nil }
        return index.withLock { cameras[($0 + 1) % cameras.count] }
    }

    func choose(_ camera: CameraSettings) {
        guard let found = cameras.firstIndex(where: { $0.id == camera.id }) else { return }
        index.withLock { $0 = found }
    }
}
