// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Devices
internal import LinuxIO
internal import Settings

extension Doctor {
    func camera() -> Finding {
        let device = Board(settings: settings).captureDevice
        do {
            let driver = try device.find()
            try driver.checkAvailability()
            return good("camera", "\(driver.identity.name), \(driver.formats.count) formats")
        } catch {
            return bad("camera", .failure, error)
        }
    }

    /// Checks the cameras that a guest or a command may change to; they may be plugged in later.
    func otherCameras(than used: String?) -> [Finding] {
        let board = Board(settings: settings)
        let used = used ?? settings.cameras.first?.id
        return settings.cameras.filter { $0.id != used }.map { camera in
            let check = "camera \(camera.id)"
            do throws(CaptureError) {
                return good(check, try board.input(camera).device.find().identity.name)
            } catch {
                return bad(check, .warning, error)
            }
        }
    }

    private func bad(_ check: String, _ state: Finding.State, _ error: CaptureError) -> Finding {
        let next =
            switch error.code {
            case .notPermitted: "Add the user to group video, or use sudo."
            case .busy: "End the other program that has it."
            default: "Plug it in, and compare [[camera]] match with: vitrine devices"
            }
        return Finding(
            check: check, state: state, problem: "\(error)\(error.holders.clause)",
            otherwise: next)
    }
}
