// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Media
import Testing
import V4L2

@Suite("Format choice")
struct FormatChoiceTests {
    private func format(_ pixels: PixelFormat, _ width: Int, _ height: Int, _ rate: Double)
        -> CaptureFormat
    {
        CaptureFormat(
            pixelFormat: pixels, dimensions: Dimensions(width: width, height: height),
            maximumFrameRate: rate)
    }

    /// The formats of a typical webcam.
    private var webcam: [CaptureFormat] {
        [
            format(.yuyv, 640, 480, 30), format(.yuyv, 1280, 720, 10),
            format(.yuyv, 1920, 1080, 5), format(.mjpeg, 640, 480, 30),
            format(.mjpeg, 1280, 720, 30), format(.mjpeg, 1920, 1080, 30),
        ]
    }

    @Test("smooth MJPEG beats stuttering YUYV at the same size")
    func smoothness() {
        let best = FormatChoice(preset: .hd1280x720).rank(webcam) { _ in false }.first
        #expect(best == format(.mjpeg, 1280, 720, 30))
    }

    @Test("an uncompressed format comes first if both are smooth")
    func uncompressedFirst() {
        let best = FormatChoice(preset: .vga640x480).rank(webcam) { _ in false }.first
        #expect(best?.pixelFormat == .yuyv)
    }

    @Test("a requested rate is met if possible, even if the format needs decoding")
    func wantedRate() {
        let formats = [
            format(.yuyv, 640, 480, 30), format(.mjpeg, 640, 480, 60), format(.yuyv, 640, 480, 5),
        ]
        func best(_ rate: Double?) -> CaptureFormat? {
            FormatChoice(preset: .vga640x480, frameRate: rate).rank(formats) { _ in false }.first
        }
        #expect(best(60) == formats[1])
        #expect(best(30) == formats[0])
        #expect(best(nil) == formats[0])
        #expect(best(100) == formats[0], "none is as fast: smooth is enough")
        #expect(best(5) == formats[0])
    }

    @Test("a format that the display can scan out comes first")
    func scanOutFirst() {
        let formats = [format(.yuyv, 640, 480, 30), format(.nv12, 640, 480, 30)]
        #expect(
            FormatChoice(preset: .high).rank(formats) { $0 == .nv12 }.first?.pixelFormat == .nv12)
        #expect(
            FormatChoice(preset: .high).rank(formats) { $0 == .yuyv }.first?.pixelFormat == .yuyv)
    }

    @Test("a format that needs conversion is chosen only as a last resort or by name")
    func conversion() {
        let bayer = PixelFormat("BA81")
        var converted = format(.yuv420, 1920, 1080, 60)
        converted.converted = bayer
        let formats = [converted, format(.grey, 640, 480, 30)]
        #expect(FormatChoice(preset: .high).rank(formats) { _ in true }.first?.pixelFormat == .grey)
        let wanted = FormatChoice(preset: .high, pixelFormat: bayer).rank(formats) { _ in true }
        #expect(wanted == [converted])
        #expect(FormatChoice(preset: .high).rank([converted]) { _ in false } == [converted])
        let made = FormatChoice(preset: .high, pixelFormat: .yuv420).rank(formats) { _ in true }
        #expect(made == [], "its own format is another")
    }

    @Test("grey is chosen only without colour, or by name")
    func colorFirst() {
        let formats = [
            format(.grey, 640, 480, 60), format(.yuyv, 640, 480, 30), format(.grey, 1280, 720, 60),
        ]
        let choice = FormatChoice(preset: .high)
        #expect(choice.rank(formats) { $0 == .grey }.map(\.pixelFormat) == [.yuyv])
        #expect(choice.rank([formats[0]]) { _ in false }.first?.pixelFormat == .grey)
        let grey = FormatChoice(preset: .high, pixelFormat: .grey)
        #expect(grey.rank(formats) { _ in false }.first?.dimensions.width == 1280)
    }

    @Test("a format on request only is chosen by its name, never for its size")
    func onRequest() {
        var raw = format(.yuv420, 1280, 720, 30)
        raw.converted = PixelFormat("RGGB")
        raw.isOnRequest = true
        let formats = [raw, format(.yuyv, 640, 480, 30)]
        let size = Dimensions(width: 1280, height: 720)
        #expect(FormatChoice(preset: .high).rank(formats) { _ in true } == [formats[1]])
        #expect(FormatChoice(preset: .high, dimensions: size).rank(formats) { _ in true } == [])
        #expect(!FormatChoice(preset: .hd1280x720).isSatisfiable(formats))
        let named = FormatChoice(preset: .high, pixelFormat: PixelFormat("RGGB"))
        #expect(named.rank(formats) { _ in true } == [raw])
    }

    @Test("a preset is satisfiable only in a format that would be chosen")
    func satisfiable() {
        var converted = format(.yuv420, 1280, 720, 30)
        converted.converted = PixelFormat("BA81")
        let vga = format(.yuyv, 640, 480, 30)
        for other in [format(.grey, 1280, 720, 30), converted] {
            #expect(!FormatChoice(preset: .hd1280x720).isSatisfiable([other, vga]))
            #expect(FormatChoice(preset: .hd1280x720).isSatisfiable([other]))
            #expect(FormatChoice(preset: .vga640x480).isSatisfiable([other, vga]))
        }
    }

    @Test("a size range offers a wanted size that lies in it, besides the usual ones")
    func range() {
        let range = FrameSizeRange(
            minimum: Dimensions(width: 16, height: 16),
            maximum: Dimensions(width: 1920, height: 1200), step: Dimensions(width: 4, height: 2))
        let wanted = Dimensions(width: 1024, height: 600)
        #expect(!range.offers(nil).contains(wanted))
        #expect(range.offers(wanted).contains(wanted))
        for size in [(1022, 600), (1024, 601), (2048, 600), (8, 8)].map(Dimensions.init) {
            #expect(range.offers(size) == range.offers(nil))
        }
        #expect(range.offers(nil).last == range.maximum)
        let single = FrameSizeRange(
            minimum: wanted, maximum: wanted, step: Dimensions(width: 0, height: 0))
        #expect(single.offers(Dimensions(width: 640, height: 480)) == [wanted])
    }

    @Test("a preset that the camera lacks falls back to high")
    func fallback() {
        let choice = FormatChoice(preset: .hd4K3840x2160)
        #expect(!choice.isSatisfiable(webcam))
        #expect(
            choice.rank(webcam) { _ in false }.first?.dimensions
                == Dimensions(width: 1920, height: 1080))
    }

    @Test("high is the largest smooth size, and photo the largest of all")
    func highAndPhoto() {
        let formats = [format(.yuyv, 640, 480, 30), format(.yuyv, 1920, 1080, 5)]
        #expect(
            FormatChoice(preset: .high).rank(formats) { _ in false }.first?.dimensions.width == 640)
        #expect(
            FormatChoice(preset: .photo).rank(formats) { _ in false }.first?.dimensions.width
                == 1920)
    }

    @Test("low is the smallest size of 320 pixels' width, medium the nearest to 640x480")
    func lowAndMedium() {
        let formats = [
            format(.yuyv, 1920, 1080, 5), format(.yuyv, 800, 600, 30), format(.yuyv, 320, 240, 30),
            format(.yuyv, 160, 120, 30),
        ]
        func width(_ preset: Preset, _ formats: [CaptureFormat]) -> Int? {
            FormatChoice(preset: preset).rank(formats) { _ in false }.first?.dimensions.width
        }
        #expect(width(.low, formats) == 320)
        #expect(width(.medium, formats) == 800)
        // The input sets no size.
        #expect(width(.inputPriority, formats) == 1920)
        // The only format is chosen.
        #expect(width(.low, [formats[3]]) == 160)
        #expect(width(.high, [formats[0]]) == 1920)
    }

    @Test("an unknown frame rate counts as fast enough")
    func unknownRate() {
        let formats = [format(.mjpeg, 640, 480, 30), format(.yuyv, 640, 480, 0)]
        for rate in [nil, 30, 60] as [Double?] {
            let choice = FormatChoice(preset: .vga640x480, frameRate: rate)
            #expect(choice.rank(formats) { _ in false }.first?.pixelFormat == .yuyv)
        }
    }

    @Test("the input's format and size are binding; nothing is chosen if they cannot be met")
    func restrictions() {
        let choice = FormatChoice(
            preset: .high, pixelFormat: .yuyv, dimensions: Dimensions(width: 1920, height: 1080))
        #expect(choice.rank(webcam) { _ in false } == [format(.yuyv, 1920, 1080, 5)])
        #expect(
            FormatChoice(preset: .high, pixelFormat: .nv16).rank(webcam) { _ in false }.isEmpty)
        #expect(FormatChoice(preset: .hd1920x1080, pixelFormat: .yuyv).isSatisfiable(webcam))
        #expect(
            !FormatChoice(preset: .hd1920x1080, pixelFormat: .yuyv).isSatisfiable(
                Array(webcam.filter { $0.dimensions.width < 1920 || $0.pixelFormat == .mjpeg })))
    }
}
