// SPDX-License-Identifier: GPL-3.0-or-later

internal import CASS
public import Imaging
public import Media

/// The place of subtitles on a screen.
public struct SubtitleLayout: Sendable, Hashable {
    /// The pixels of the screen.
    public var screen: Dimensions
    /// The place of the whole picture; parts of it may lie outside the screen.
    public var picture: PixelRect
    /// The size of the picture before it was scaled to its place.
    public var source: Dimensions

    /// Places pictures of a size on a screen.
    /// - Parameter presentationSize: The size of upright pictures with square pixels.
    public init(_ presentationSize: Dimensions, on screen: Dimensions, _ gravity: Gravity) {
        self.screen = screen
        let presentationSize = presentationSize.pixels > 0 ? presentationSize : screen
        source = presentationSize
        let (part, target) = gravity.place(presentationSize, on: screen)
        let scaleX = Double(target.width) / Double(max(part.width, 1))
        let scaleY = Double(target.height) / Double(max(part.height, 1))
        picture = PixelRect(
            x: target.x - Int((Double(part.x) * scaleX).rounded()),
            y: target.y - Int((Double(part.y) * scaleY).rounded()),
            width: Int((Double(presentationSize.width) * scaleX).rounded()),
            height: Int((Double(presentationSize.height) * scaleY).rounded()))
    }
}

/// Draws subtitles: texts with libass, loaded for the first drawer. Not thread-safe.
@safe
public final class SubtitleDrawer {
    private let text: OpaquePointer
    private let isPlain: Bool
    private var layout: SubtitleLayout?

    /// - Throws: `missing` if libass is not installed; `exhausted`.
    public init(_ script: SubtitleScript) throws(CodecError) {
        try Self.load()
        let opened = unsafe script.head.withCString {
            unsafe cass_open($0, script.head.utf8.count)
        }
        guard let opened = unsafe opened else {
            throw CodecError(.exhausted, "no memory for subtitles")
        }
        for font in script.fonts {
            unsafe font.bytes.withUnsafeBytes {
                unsafe cass_add_font(opened, font.name, $0.baseAddress, $0.count)
            }
        }
        unsafe text = opened
        isPlain = script.isPlain
    }

    /// Loads libass.
    /// - Throws: `missing` if it is not installed.
    public static func load() throws(CodecError) {
        if let failure {
            throw CodecError(
                .missing, "no subtitles: \(failure); next: install that library")
        }
    }

    private static let failure: String? = unsafe cass_load().map { unsafe String(cString: $0) }

    deinit { unsafe cass_close(text) }

    /// Draws the events that are shown at a time. Texts take their time from the event.
    /// - Returns: `nil` if there is nothing to see, or no memory.
    public func draw(
        _ events: [SubtitleEvent], at time: MediaTime, _ layout: SubtitleLayout
    ) -> PlacedPicture? {
        apply(layout)
        let milliseconds = Self.milliseconds(time)
        unsafe cass_clear(text)
        for event in events { add(event, milliseconds) }
        var letters = cass_area()
        let hasText = unsafe cass_draw(text, milliseconds, &letters) != 0
        let bitmaps = events.flatMap { PlacedBitmap.all(of: $0, layout) }
        var area = hasText ? PixelRect(letters) : nil
        for bitmap in bitmaps { area = area?.union(bitmap.place) ?? bitmap.place }
        guard let area = area?.intersection(PixelRect(layout.screen)),
            var storage = try? PixelStorage(.argb, area.size, color: .jpeg)
        else { return nil }
        unsafe storage.withMutablePixels { pixels in
            for bitmap in bitmaps {
                let place = PixelRect(
                    x: bitmap.place.x - area.x, y: bitmap.place.y - area.y,
                    width: bitmap.place.width, height: bitmap.place.height)
                try? unsafe pixels.draw(
                    bitmap.bitmap.pixels, of: bitmap.bitmap.place.size, in: place)
            }
            guard hasText else { return }
            var place = cass_area(
                left: CInt(area.x), top: CInt(area.y), right: CInt(area.x + area.width),
                bottom: CInt(area.y + area.height))
            let start = unsafe UnsafeMutableRawPointer(pixels.plane(0))
                .assumingMemoryBound(to: UInt32.self)
            unsafe cass_blend(text, &place, start, pixels.bytesPerRow(0) / 4)
        }
        return PlacedPicture(StillPicture(storage), at: area, of: layout.screen)
    }

    private func apply(_ layout: SubtitleLayout) {
        if layout == self.layout { return }
        self.layout = layout
        let (screen, picture) = (layout.screen, layout.picture)
        var values = cass_layout(
            width: CInt(clamping: screen.width), height: CInt(clamping: screen.height),
            picture_width: CInt(clamping: layout.source.width),
            picture_height: CInt(clamping: layout.source.height),
            top: CInt(clamping: picture.y),
            bottom: CInt(clamping: screen.height - picture.y - picture.height),
            left: CInt(clamping: picture.x),
            right: CInt(clamping: screen.width - picture.x - picture.width),
            is_plain: isPlain ? 1 : 0)
        unsafe cass_set_layout(text, &values)
    }

    private func add(_ event: SubtitleEvent, _ now: Int64) {
        guard case .lines(let lines) = event.content else { return }
        let start = Self.milliseconds(event.start)
        let end = event.end.isNumeric ? Self.milliseconds(event.end) : now + 1000
        for line in lines {
            unsafe line.withCString {
                unsafe cass_add(text, $0, line.utf8.count, start, max(end, now + 1) - start)
            }
        }
    }

    /// Returns a time of at most some years, whatever a file says.
    private static func milliseconds(_ time: MediaTime) -> Int64 {
        let value = time.converted(toTimescale: 1000)
        return value.isNumeric ? min(max(value.value, -mostMilliseconds), mostMilliseconds) : 0
    }

    private static let mostMilliseconds: Int64 = 1 << 40
}

/// A picture of letters at its place on the screen.
private struct PlacedBitmap {
    let bitmap: SubtitleBitmap
    let place: PixelRect

    /// The longest edge that is drawn.
    private static let mostPixels = 1 << 15

    static func all(of event: SubtitleEvent, _ layout: SubtitleLayout) -> [PlacedBitmap] {
        guard case .pictures(let bitmaps, let size) = event.content else { return [] }
        let made = size.pixels > 0 ? size : layout.source
        let x = Double(layout.picture.width) / Double(made.width)
        let y = Double(layout.picture.height) / Double(made.height)
        return bitmaps.compactMap { bitmap in
            let from = bitmap.place
            let (left, top) = ((Double(from.x) * x).rounded(), (Double(from.y) * y).rounded())
            let place = PixelRect(
                x: layout.picture.x + Int(left), y: layout.picture.y + Int(top),
                width: Int((Double(from.x + from.width) * x).rounded() - left),
                height: Int((Double(from.y + from.height) * y).rounded() - top))
            let isUsual = max(place.width, place.height) <= mostPixels
            return isUsual ? PlacedBitmap(bitmap: bitmap, place: place) : nil
        }
    }
}

extension PixelRect {
    fileprivate init(_ area: cass_area) {
        self.init(
            x: Int(area.left), y: Int(area.top), width: Int(area.right - area.left),
            height: Int(area.bottom - area.top))
    }
}
