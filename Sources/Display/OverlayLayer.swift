// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import LinuxIO
internal import Media

/// What lies above the video: drawn into one of two pictures while the other is on screen, and only
/// when it has changed.
struct OverlayLayer {
    /// What shall be seen; `nil` for nothing.
    private(set) var picture: OverlayPicture?
    /// Whether ``picture`` is not yet what the next commit shows.
    private(set) var isStale = false
    /// What the next commit shows.
    private(set) var image: (any ScanoutImage)?
    /// What the last one that was taken shows.
    private var committed: (any ScanoutImage)?
    /// Two at the most: while one is on screen the other can be drawn.
    private var images: [any ScanoutImage] = []
    /// When it could not be drawn, since it could the last time.
    private var failureTime: Int64?

    /// ``picture``, when it was made for a screen of this size.
    func picture(for size: Dimensions) -> OverlayPicture? {
        picture?.description.dimensions == size ? picture : nil
    }

    mutating func show(_ picture: OverlayPicture?) {
        self.picture = picture
        isStale = true
    }

    /// Brings ``image`` up to date. Only between a flip and the next commit: what was on screen before may
    /// be written to. When no memory can be had for it nothing is shown.
    ///
    /// - Returns: what there is to tell: that it fails, once, or that it no longer does.
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

    /// Wants what could not be drawn to be tried again, when the last time was so many nanoseconds ago.
    mutating func retryIfDue(after interval: Int64) {
        if let failureTime, Clock.monotonic - failureTime >= interval { isStale = true }
    }

    /// The display has taken ``image``, which is on screen from the next flip on.
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
        // Premultiplied and without its alpha it is the overlay above black.
        let format: PixelFormat = device.hasOverlay ? .argb : .xrgb
        let image = try device.makeScreenImage(format, device.size, .brief)
        images.append(image)
        return image
    }

    /// The display has gone or changed its mode: its pictures are worthless.
    mutating func discard() {
        image = nil
        committed = nil
        images = []
        isStale = picture != nil
    }
}
