// SPDX-License-Identifier: GPL-3.0-or-later

import Devices
import Settings
import Testing

@Suite("Chosen camera")
struct ChosenCameraTests {
    private func settings(_ id: String, make: String = "", model: String = "") -> CameraSettings {
        var settings = CameraSettings()
        (settings.id, settings.make, settings.model) = (id, make, model)
        return settings
    }

    @Test("a label has the configured name, else the camera's own, never another camera's")
    func label() {
        let (front, back) = (settings("front"), settings("back", make: "Maker"))
        let chosen = ChosenCamera([front, back, settings("top", model: "Model 7")])
        #expect(chosen.label == ChosenCamera.Label())
        chosen.runs(as: "HD Webcam")
        #expect(chosen.label == ChosenCamera.Label(make: "", model: "HD Webcam"))
        chosen.choose(front)
        #expect(chosen.label.model == "HD Webcam")
        chosen.choose(back)
        #expect(chosen.label == ChosenCamera.Label(make: "Maker", model: ""))
        chosen.runs(as: "imx219")
        #expect(chosen.label == ChosenCamera.Label(make: "Maker", model: "imx219"))
        // The running camera's own name is not used for another camera.
        #expect(chosen.label(of: "front") == ChosenCamera.Label())
        #expect(chosen.label(of: "top").model == "Model 7")
        #expect(chosen.label(of: "none") == ChosenCamera.Label())
    }
}
