// SPDX-License-Identifier: GPL-3.0-or-later

internal import Drawing
internal import FoundationEssentials
internal import Imaging
internal import LinuxIO
internal import Media

/// Makes PNG files of the screen on a thread of its own, because compression takes longer than a
/// frame of the countdown.
actor ScreenshotEncoder {
    private static let executor = ThreadExecutor("screenshot")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    /// The picture as a PNG file, in Base64.
    func png(of picture: StillPicture) throws -> String {
        let size = picture.description.dimensions
        let canvas = try Canvas(size)
        unsafe picture.withPixels { unsafe canvas.draw($0, in: PixelRect(size), .resize) }
        return Data(try canvas.png()).base64EncodedString()
    }
}
