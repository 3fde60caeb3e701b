// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
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
    private var spare: (any ScanoutImage)?

    /// ``picture``, when it was made for a screen of this size.
    func picture(for size: Dimensions) -> OverlayPicture? {
        picture?.description.dimensions == size ? picture : nil
    }

    mutating func show(_ picture: OverlayPicture?) {
        self.picture = picture
        isStale = true
    }

    /// Brings ``image`` up to date. Only between commits: what was on screen before the last one may be
    /// written to.
    ///
    /// - Throws: when no memory can be had for it; nothing is shown then.
    mutating func update(on device: any ScanoutDevice) throws {
        isStale = false
        do {
            try draw(on: device)
        } catch {
            hide()
            throw error
        }
    }

    private mutating func hide() {
        if let image { spare = image }
        image = nil
    }

    private mutating func draw(on device: any ScanoutDevice) throws {
        guard let picture = picture(for: device.size) else { return hide() }
        // Premultiplied and without its alpha it is the overlay above black.
        let format: PixelFormat = device.hasOverlay ? .argb : .xrgb
        let target =
            try spare
            ?? device.makeScreenImage(format, device.size, .brief)
        try target.write(picture)
        spare = image
        image = target
    }

    /// Wants ``picture`` drawn once more.
    mutating func redraw() { isStale = true }

    /// The display has gone or changed its mode: its pictures are worthless.
    mutating func discard() {
        image = nil
        spare = nil
        isStale = picture != nil
    }
}
