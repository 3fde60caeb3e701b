// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import Settings
import Testing

@Suite("Which camera is used")
struct ChosenCameraTests {
    private func settings(_ id: String, make: String = "", model: String = "") -> CameraSettings {
        var settings = CameraSettings()
        (settings.id, settings.make, settings.model) = (id, make, model)
        return settings
    }

    @Test("pictures name it as configured, else as it calls itself, and never as the one before")
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
        // What was noted of the one before is still that one's.
        #expect(chosen.label(of: "front") == ChosenCamera.Label())
        #expect(chosen.label(of: "top").model == "Model 7")
        #expect(chosen.label(of: "none") == ChosenCamera.Label())
    }
}
