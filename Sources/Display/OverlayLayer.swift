// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import LinuxIO
internal import Media

/// The layer above the video. It is drawn only when it changes, into one of two pictures while the
/// other is on screen.
struct OverlayLayer {
    /// The wanted picture; `nil` for none.
    private(set) var picture: OverlayPicture?
    /// Whether ``picture`` is yet to be drawn into ``image``.
    private(set) var isStale = false
    /// The image for the next commit.
    private(set) var image: (any ScanoutImage)?
    private var committed: (any ScanoutImage)?
    /// At most two images, so that one can be drawn while the other is on screen.
    private var images: [any ScanoutImage] = []
    /// The time of the last attempt to draw, if it failed.
    private var failureTime: Int64?

    /// Returns ``picture`` if it was made for a screen of this size.
    func picture(for size: Dimensions) -> OverlayPicture? {
        picture?.description.dimensions == size ? picture : nil
    }

    mutating func show(_ picture: OverlayPicture?) {
        self.picture = picture
        isStale = true
    }

    /// Brings ``image`` up to date; sets it to `nil` if it cannot be drawn, such as without memory.
    /// Call this only between a flip and the next commit, when the image that was on screen before
    /// may be written to. Returns the event to report: drawing begins to fail, or works again.
    mutating func update(on device: any ScanoutDevice) -> Screen.Event? {
        isStale = false
        let hadFailed = failureTime != nil
        do {
            try draw(on: device)
            failureTime = nil
            return hadFailed ? .overlayShown : nil
        } catch {
            image = nil
            failureTime = Clock.monotonic
            return hadFailed
                ? nil : .overlayFailed(DisplayError(.failed, "no overlay", underlying: error))
        }
    }

    /// Schedules another attempt if the last one failed at least `interval` nanoseconds ago.
    mutating func retryIfDue(after interval: Int64) {
        if let failureTime, Clock.monotonic - failureTime >= interval { isStale = true }
    }

    /// Records that the display accepted ``image``, which is on screen from the next flip on.
    mutating func wasCommitted() { committed = image }

    private mutating func draw(on device: any ScanoutDevice) throws {
        guard let picture = picture(for: device.size) else {
            image = nil
            return
        }
        let target = try images.first { $0 !== committed } ?? makeImage(on: device)
        try target.write(picture)
        image = target
    }

    private mutating func makeImage(on device: any ScanoutDevice) throws -> any ScanoutImage {
        // Premultiplied colours without their alpha are the overlay above black.
        let format: PixelFormat = device.hasOverlay ? .argb : .xrgb
        let image = try device.makeScreenImage(format, device.size, .brief)
        images.append(image)
        return image
    }

    /// Discards all images, because the display is gone or has changed its mode.
    mutating func discard() {
        image = nil
        committed = nil
        images = []
        isStale = picture != nil
    }
}
