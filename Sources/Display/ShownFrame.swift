// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// A frame on screen, or on its way there.
struct ShownFrame: ~Copyable {
    /// The picture; `nil` for black.
    var image: (any ScanoutImage)?
    var placement = LayerPlacement.whole(Dimensions(width: 0, height: 0))
    /// The feed that the frame came from, whose pictures are all alike.
    private(set) var feed: ObjectIdentifier?
    var isBlended = false
    /// The frame's lease, held while the camera's own memory is scanned out.
    var lease: FrameLease?
    var timestamp: Int64 = 0
    /// Whether the frame replaces the one on screen.
    var isNew = false

    init() {}

    static var black: ShownFrame {
        var black = ShownFrame()
        black.isNew = true
        return black
    }

    /// Replaces the frame that was to be shown next.
    mutating func show(_ image: any ScanoutImage, _ feed: VideoFeed, timestamp: Int64) {
        self.image = image
        placement = feed.placement
        self.feed = ObjectIdentifier(feed)
        isBlended = feed.blendsOverlay
        lease = nil
        self.timestamp = timestamp
        isNew = true
    }

    /// Forgets the feed, which has ended, so that no later picture counts as alike.
    mutating func forgetFeed() { feed = nil }

    mutating func clear() {
        image = nil
        isBlended = false
        lease = nil
        isNew = false
    }
}
