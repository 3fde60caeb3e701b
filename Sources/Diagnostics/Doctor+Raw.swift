// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import Devices
internal import Media
internal import Settings

extension Doctor {
    /// Checks whether photos will have their RAW, if it is configured. Another check reports a
    /// missing camera.
    func raw() -> [Finding] {
        guard settings.photo.format == .raw else { return [] }
        do {
            try DNGFile.load()
        } catch {
            return [Finding(check: "raw", state: .warning, problem: "\(error)")]
        }
        let board = Board(settings: settings)
        let input = board.captureInput
        let choice = input.choice(Preset(rawValue: board.camera.settings.preset) ?? .high)
        guard let camera = try? input.device.find(),
            let format = choice.rank(camera.formats, canScanOut: { _ in false }).first?.cameraFormat
        else { return [] }
        guard RawPixelFormat(format) == nil else {
            return [Finding(check: "raw", state: .ok, message: "\(format), as DNG", next: "")]
        }
        return [
            Finding(
                check: "raw", state: .warning,
                message: "\"\(camera.identity.name)\" delivers \(format): photos have no RAW",
                next: "Set [[camera]] pixel_format to a Bayer format, "
                    + "or [photo] format = \"original\".")
        ]
    }
}
