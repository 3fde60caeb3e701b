// SPDX-License-Identifier: GPL-3.0-or-later

internal import Recording
package import Settings
internal import Synchronization

/// Which of the configuration's cameras is used now. Any thread.
package final class ChosenCamera: Sendable {
    let cameras: [CameraSettings]
    private let state = Mutex(State())

    private struct State {
        var index = 0
        /// What the one that runs calls itself; empty until it does.
        var runningName = ""
    }

    /// What pictures say of a camera.
    package struct Label: Equatable {
        /// Who made it, as configured; may be empty.
        package var make = ""
        /// As configured, else what it calls itself; empty where that is not known.
        package var model = ""

        package init(make: String = "", model: String = "") {
            (self.make, self.model) = (make, model)
        }
    }

    package init(_ cameras: [CameraSettings]) { self.cameras = cameras }

    /// The defaults without any.
    var settings: CameraSettings { settings(at: state.withLock(\.index)) }

    /// The configuration's name for it.
    var id: String { settings.id }

    var looksAtPerson: Bool { settings.position == "front" }

    /// Of the one that is used.
    package var label: Label { label(of: id) }

    /// Of the one with this name in the configuration.
    package func label(of id: String) -> Label {
        let state = state.withLock(\.self)
        let chosen = settings(at: state.index)
        let camera = chosen.id == id ? chosen : cameras.first { $0.id == id } ?? CameraSettings()
        let itself = chosen.id == id ? state.runningName : ""
        return Label(make: camera.make, model: camera.model.isEmpty ? itself : camera.model)
    }

    /// The one that is used runs, and calls itself so.
    package func runs(as name: String) { state.withLock { $0.runningName = name } }

    /// The one with this name, the one behind that of now without one; `nil` where there is no such, or no other.
    func other(named name: String?) -> CameraSettings? {
        if let name { return cameras.first { $0.id == name } }
        guard cameras.count > 1 else { return nil }
        return cameras[(state.withLock(\.index) + 1) % cameras.count]
    }

    package func choose(_ camera: CameraSettings) {
        guard let found = cameras.firstIndex(where: { $0.id == camera.id }) else { return }
        state.withLock { state in
            // Nobody knows yet what the other one calls itself.
            if state.index != found { state = State(index: found) }
        }
    }

    private func settings(at index: Int) -> CameraSettings {
        cameras.indices.contains(index) ? cameras[index] : CameraSettings()
    }
}

extension PhotoProcessor {
    /// What photos say of the camera from now on.
    func setCamera(_ label: ChosenCamera.Label) {
        setCamera(make: label.make, model: label.model)
    }
}
