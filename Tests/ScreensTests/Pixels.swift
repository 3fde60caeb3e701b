// SPDX-License-Identifier: GPL-3.0-or-later

import Drawing
import Kiosk
import Media

/// A copy of a canvas's pixels.
struct Pixels: Equatable {
    let dimensions: Dimensions
    /// 0xAARRGGBB, row by row.
    let values: [UInt32]

    init(_ canvas: Canvas) {
        let size = canvas.dimensions
        dimensions = size
        values = unsafe canvas.withPixels { access in
            var values: [UInt32] = []
            values.reserveCapacity(size.pixels)
            for y in 0..<size.height {
                let row = unsafe access.plane(0) + y * access.bytesPerRow(0)
                for x in 0..<size.width {
                    values.append(
                        unsafe UInt32(row[4 * x]) | UInt32(row[4 * x + 1]) << 8
                            | UInt32(row[4 * x + 2]) << 16 | UInt32(row[4 * x + 3]) << 24)
                }
            }
            return values
        }
    }

    subscript(x: Int, y: Int) -> UInt32 { values[y * dimensions.width + x] }

    /// Returns the number of pixels that satisfy a condition.
    func count(
        where isCounted: (_ pixel: UInt32, _ x: Int, _ y: Int) -> Bool
    ) -> Int {
        var count = 0
        for y in 0..<dimensions.height {
            for x in 0..<dimensions.width where isCounted(self[x, y], x, y) { count += 1 }
        }
        return count
    }

    /// The lowest alpha of all pixels.
    var leastAlpha: UInt32 { values.map { $0 >> 24 }.min() ?? 0 }

    /// Whether no colour exceeds its alpha.
    var isPremultiplied: Bool {
        values.allSatisfy { pixel in
            let alpha = pixel >> 24
            return pixel & 0xff <= alpha && pixel >> 8 & 0xff <= alpha
                && pixel >> 16 & 0xff <= alpha
        }
    }
}

/// An XRGB picture in its own memory, with padding after each row and garbage in the unused byte.
final class Picture {
    private var bytes: [UInt8]
    private let description: FrameDescription

    init(_ size: Dimensions, _ color: (_ x: Int, _ y: Int) -> UInt32) {
        let bytesPerRow = size.width * 4 + 64
        guard let description = FrameDescription(.xrgb, size, bytesPerRow: bytesPerRow)
        else { preconditionFailure("XRGB has a layout") }
        self.description = description
        bytes = [UInt8](repeating: 0xee, count: description.bufferSizes[0])
        for y in 0..<size.height {
            for x in 0..<size.width {
                let value = color(x, y)
                for index in 0..<3 {
                    bytes[y * bytesPerRow + 4 * x + index] = UInt8(value >> (8 * index) & 0xff)
                }
                bytes[y * bytesPerRow + 4 * x + 3] = UInt8(truncatingIfNeeded: x)
            }
        }
    }

    @unsafe
    func withPixels<Result>(_ body: (PixelAccess) throws -> Result) rethrows -> Result {
        let description = self.description
        return try unsafe bytes.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { preconditionFailure("an empty picture") }
            return try unsafe body(PixelAccess(description, start))
        }
    }
}

/// The screen sizes of kiosks.
let screens = ["640x480", "800x480", "1024x600", "1280x720", "1920x1080", "480x800"]
    .compactMap { Dimensions($0) }

/// One scene of each kind that shows anything.
let scenes: [String: Scene] = [
    "starting": Scene(.black, message: "One moment…"),
    "live": Scene(.preview, hint: "Press the button"),
    "countdown": Scene(.preview, countdown: Scene.Countdown(digits: 3, step: 12, steps: 12)),
    "ten": Scene(.preview, countdown: Scene.Countdown(digits: 10, step: 37, steps: 40)),
    "minute": Scene(.preview, countdown: Scene.Countdown(digits: 60, step: 60, steps: 60)),
    "saved": Scene(.preview, notice: Scene.Notice(.success, "Saved")),
    "saving": Scene(.preview, notice: Scene.Notice(.progress, "Saving…")),
    "failed": Scene(.preview, notice: Scene.Notice(.failure, "No photo this time.")),
    "review": Scene(
        .black, notice: Scene.Notice(.success, "Saved"),
        review: Scene.Review(assetID: "1", fileName: "1.jpg")),
    "no camera": Scene(
        .black,
        fault: Scene.Fault(title: "No camera", advice: "Plug it in.", code: "camera.missing")),
    "no camera, photos wait": Scene(
        .black,
        fault: Scene.Fault(
            title: "No camera", advice: "Plug it in.", code: "camera.missing",
            copies: "12 waiting, oldest 3 h")),
    "full": Scene(
        .preview, notice: Scene.Notice(.failure, "The photo could not be saved."),
        fault: Scene.Fault(
            title: "Storage is full", advice: "Please tell the staff.", code: "library.full")),
    "viewing a photo": viewing(
        Scene.Viewing(
            title: "Mia and the balloon", picture: "1",
            place: Scene.Viewing.Place(number: 2, count: 12))),
    "viewing a clip": viewing(
        Scene.Viewing(
            title: "2026-11-30_08-28-53_000004.mp4", filmstrip: "2",
            place: Scene.Viewing.Place(number: 12, count: 12),
            progress: Scene.Viewing.Progress(elapsed: 65, duration: 130, step: 120))),
    "viewing something live": viewing(
        Scene.Viewing(
            title: "The stage", progress: Scene.Viewing.Progress(elapsed: 3725, isLive: true))),
    "viewing with subtitles": viewing(
        Scene.Viewing(
            title: "A film", filmstrip: "2",
            progress: Scene.Viewing.Progress(elapsed: 2000, duration: 5400, step: 90))),
    "hearing something with a cover": viewing(
        Scene.Viewing(
            title: "Für Elise", picture: "1",
            progress: Scene.Viewing.Progress(elapsed: 9, duration: 174, step: 12))),
    "hearing something": viewing(
        Scene.Viewing(
            title: "Für Elise", picture: "sound",
            progress: Scene.Viewing.Progress(
                elapsed: 9, duration: 174, step: 12, isPaused: true))),
    "recording": recording(Scene.Recording(elapsed: 7, remaining: 53)),
    "recording with sound": recording(Scene.Recording(elapsed: 7, remaining: 53, level: 5)),
]

func viewing(_ viewing: Scene.Viewing) -> Scene {
    Scene(viewing.picture == nil ? .preview : .black, viewing: viewing)
}

func recording(_ recording: Scene.Recording) -> Scene {
    var scene = Scene(.preview)
    scene.recording = recording
    return scene
}
