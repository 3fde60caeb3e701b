// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// A frame on its way to the screen, or there.
struct ShownFrame: ~Copyable {
    /// `nil` for black.
    var image: (any ScanoutImage)?
    var placement = LayerPlacement.whole(Dimensions(width: 0, height: 0))
    /// The way that it came, whose pictures are all alike.
    private(set) var feed: ObjectIdentifier?
    /// Whether the overlay is in the picture.
    var isBlended = false
    /// Held while the camera's own memory is scanned out.
    var lease: FrameLease?
    var timestamp: Int64 = 0
    /// Whether it takes the place of what is on screen, which else stays.
    var isNew = false

    init() {}

    static var black: ShownFrame {
        var black = ShownFrame()
        black.isNew = true
        return black
    }

    /// Takes the place of what was next.
    mutating func show(_ image: any ScanoutImage, _ feed: VideoFeed, timestamp: Int64) {
        self.image = image
        placement = feed.placement
        self.feed = ObjectIdentifier(feed)
        isBlended = feed.blendsOverlay
        lease = nil
        self.timestamp = timestamp
        isNew = true
    }

    /// The way that it came has ended: no other picture is like it.
    mutating func forgetFeed() { feed = nil }

    /// It is nothing any more: picture and frame are let go.
    mutating func clear() {
        image = nil
        isBlended = false
        lease = nil
        isNew = false
    }
}
