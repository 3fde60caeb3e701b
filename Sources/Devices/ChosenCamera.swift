// SPDX-License-Identifier: GPL-3.0-or-later

package import Recording
package import Settings
internal import Synchronization

/// The configured cameras, and which of them is used now. Any thread.
package final class ChosenCamera: Sendable {
    package let cameras: [CameraSettings]
    private let state = Mutex(State())

    private struct State {
        var index = 0
        /// The running camera's own name; empty until it runs.
        var runningName = ""
    }

    /// The maker and model that pictures name.
    package struct Label: Equatable {
        /// The configured maker; may be empty.
        package var make = ""
        /// The configured model, else the camera's own name; empty if neither is known.
        package var model = ""

        package init(make: String = "", model: String = "") {
            (self.make, self.model) = (make, model)
        }
    }

    /// Uses the first camera.
    package init(_ cameras: [CameraSettings]) { self.cameras = cameras }

    /// The settings of the camera in use; the defaults if none is configured.
    package var settings: CameraSettings { settings(at: state.withLock(\.index)) }

    /// The configured name of the camera in use.
    package var id: String { settings.id }

    package var looksAtPerson: Bool { settings.position == "front" }

    package var label: Label { label(of: id) }

    package func label(of id: String) -> Label {
        let state = state.withLock(\.self)
        let chosen = settings(at: state.index)
        let camera = chosen.id == id ? chosen : cameras.first { $0.id == id } ?? CameraSettings()
        let itself = chosen.id == id ? state.runningName : ""
        return Label(make: camera.make, model: camera.model.isEmpty ? itself : camera.model)
    }

    /// The camera in use runs and has this name.
    package func runs(as name: String) { state.withLock { $0.runningName = name } }

    /// The camera with this name, or the next one if `name` is `nil`; `nil` if there is none.
    package func other(named name: String?) -> CameraSettings? {
        if let name { return cameras.first { $0.id == name } }
        guard cameras.count > 1 else { return nil }
        return cameras[(state.withLock(\.index) + 1) % cameras.count]
    }

    package func choose(_ camera: CameraSettings) {
        guard let found = cameras.firstIndex(where: { $0.id == camera.id }) else { return }
        state.withLock { state in
            // The other camera's own name is not known yet.
            if state.index != found { state = State(index: found) }
        }
    }

    private func settings(at index: Int) -> CameraSettings {
        cameras.indices.contains(index) ? cameras[index] : CameraSettings()
    }
}

extension PhotoProcessor {
    /// Sets the camera that future photos name.
    package func setCamera(_ label: ChosenCamera.Label) {
        setCamera(make: label.make, model: label.model)
    }
}
