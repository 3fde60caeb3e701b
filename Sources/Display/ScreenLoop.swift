// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import LinuxIO
internal import Media
internal import Synchronization

/// The display's thread: one commit at a time, each waiting for the flip of the one before.
///
///     absent ──display found──▶ idle ◀──flip── flipping
///       ▲                         │  ──commit──▶  │
///       └──────── lost ◀──────────┴───────────────┘ commit refused, no flip for 3 s
final class ScreenLoop {
    /// A screen on which nothing changes is committed again so often, to prove that it lives.
    static let heartbeat: Int64 = 900_000_000
    /// How long to wait between two looks for a display: probing connectors is slow.
    private static let retryInterval = 2 * heartbeat
    private static let flipLimit: Int64 = 3_000_000_000

    private let sleep: ScreenSleep
    private let gravity: Gravity
    private let statistics: ScreenStatistics
    private let open: () throws(DisplayError) -> any ScanoutDevice
    private let emit: (Screen.Event) -> Void

    private var device: (any ScanoutDevice)?
    private var announced: (mode: String, size: Dimensions)?
    private var lastRefusal = ""
    /// When to look for a display again, while there is none.
    private var nextSearch: Int64 = 0
    private var isEnding = false

    private var feed: VideoFeed?
    private var overlay = OverlayLayer()
    /// On screen since the last flip; its memory is in use until its successor's.
    private var shown = ShownFrame()
    /// Committed, and on screen from the next flip on.
    private var next = ShownFrame()
    private var commitTime: Int64 = 0
    private var isFlipping = false
    /// The video is to leave the screen, for black or the overlay.
    private var mustClear = false

    init(
        _ sleep: ScreenSleep, _ gravity: Gravity, _ statistics: ScreenStatistics,
        _ open: @escaping () throws(DisplayError) -> any ScanoutDevice,
        _ emit: @escaping (Screen.Event) -> Void
    ) {
        self.sleep = sleep
        self.gravity = gravity
        self.statistics = statistics
        self.open = open
        self.emit = emit
    }

    func run(_ takeJobs: () -> [Screen.Job]?) {
        while !isEnding {
            if device == nil, Clock.monotonic >= nextSearch { openDevice() }
            do {
                try step()
            } catch {
                lose(error as? DisplayError ?? DisplayError(.failed, "display", underlying: error))
            }
            let hasWork = feed?.frames.isWaiting == true || mustDrawOverlay || mustClear
            if !isFlipping && hasWork && device != nil { continue }
            sleep.wait(alsoForFlip: isFlipping && hasWork, since: lastSign)
            for job in takeJobs() ?? [] { job(self) }
        }
        device?.close()
        letGo()
    }

    /// Whether the overlay has changed and is not in the video's picture.
    private var mustDrawOverlay: Bool {
        let isBlended = next.isNew ? next.isBlended : shown.isBlended
        return overlay.isStale && (mustClear || !isBlended)
    }

    /// When it last showed that it lives: by a commit, or, without a display, just now.
    private var lastSign: Int64 {
        guard device == nil else { return commitTime }
        let now = Clock.monotonic
        statistics.heartbeat.store(now, ordering: .relaxed)
        return now
    }

    // MARK: the display comes and goes

    private func openDevice() {
        nextSearch = Clock.monotonic + Self.retryInterval
        do throws(DisplayError) {
            let device = try open()
            do {
                try sleep.watch(device.flipDescriptor)
            } catch {
                device.close()
                throw DisplayError(.failed, "display", underlying: error)
            }
            self.device = device
            lastRefusal = ""
            announce(device)
        } catch {
            if "\(error)" != lastRefusal { emit(.lost(error)) }
            lastRefusal = "\(error)"
        }
    }

    private func announce(_ device: any ScanoutDevice) {
        let current = (device.modeName, device.size)
        if let announced, announced == current { return }
        announced = current
        // The new mode came with black: nothing of the old one is on screen any more.
        next = ShownFrame()
        shown = ShownFrame()
        overlay.discard()
        emit(.ready(connector: device.connectorName, mode: current.0, size: current.1))
    }

    private func lose(_ error: DisplayError) {
        // First it shows something else, then the pictures may go.
        device?.close()
        letGo()
        overlay.discard()
        device = nil
        announced = nil
        isFlipping = false
        nextSearch = Clock.monotonic + Self.retryInterval
        lastRefusal = "\(error)"
        emit(.lost(error))
    }

    /// Something was plugged in or out: the display, or another one.
    func rescan() {
        do throws(DisplayError) {
            try device?.checkConnection()
            if device != nil { return }
        } catch {
            lose(error)
        }
        nextSearch = 0
    }

    func end() { isEnding = true }

    /// Forgets the video without a word to the display, which is gone or closed.
    private func letGo() {
        feed?.frames.clear()
        feed = nil
        next = ShownFrame()
        shown = ShownFrame()
        mustClear = false
    }

    // MARK: frames

    private func step() throws {
        guard let device else { return }
        if try !hasFlipped(device) { return }
        var changed = false
        if let feed, let lease = feed.frames.take() {
            changed = take(lease, feed, device)
        }
        try present(device, changed: changed)
    }

    /// Whether nothing that was committed is still on its way.
    private func hasFlipped(_ device: any ScanoutDevice) throws -> Bool {
        if !isFlipping { return true }
        if let time = try device.readFlip() {
            retire(flippedAt: time)
            return true
        }
        if Clock.monotonic - commitTime > Self.flipLimit {
            throw DisplayError(.failed, "\(device.connectorName) has not flipped for 3 s")
        }
        return false
    }

    /// Commits what has changed, if anything has.
    private func present(_ device: any ScanoutDevice, changed: Bool) throws {
        var changed = changed
        if mustClear {
            if !next.isNew { next = .black }
            mustClear = false
            changed = true
        }
        if mustDrawOverlay {
            do {
                try overlay.update(on: device)
            } catch {
                emit(.degraded(DisplayError(.failed, "no overlay", underlying: error)))
            }
            changed = true
        }
        if changed || Clock.monotonic - commitTime >= Self.heartbeat {
            try commit(device)
        }
    }

    private func take(
        _ lease: consuming FrameLease, _ feed: VideoFeed, _ device: any ScanoutDevice
    ) -> Bool {
        var feed = feed
        do {
            if feed.isUndecided { feed = try adopt(on: device) { try feed.decided(by: lease, $0) } }
            let image = try feed.image(
                for: lease, avoiding: shown.image, blending: overlay.picture(for: device.size))
            next = ShownFrame(image, feed, timestamp: lease.info.timestamp)
            // Otherwise the picture is a copy, and the camera gets its frame back here.
            if feed.holdsFrames { next.lease = consume lease }
            return true
        } catch is DamagedFrame {
            statistics.undecodable.add(1, ordering: .relaxed)
        } catch is ChangedFrame {
            // The next one decides: this one's header may be damaged.
            statistics.undecodable.add(1, ordering: .relaxed)
            self.feed = feed.undecided
        } catch {
            feed.frames.clear()
            self.feed = nil
            mustClear = true
            emit(.degraded(DisplayError(.failed, "the video cannot be shown", underlying: error)))
        }
        return false
    }

    private func commit(_ device: any ScanoutDevice) throws {
        let (image, placement, isBlended) = next.isNew ? next.layer : shown.layer
        if let image {
            try device.commit(
                video: image, placement, overlay: isBlended ? nil : overlay.image)
        } else if device.hasOverlay {
            try device.commit(video: nil, .whole(device.size), overlay: overlay.image)
        } else {
            try device.commit(video: overlay.image, .whole(device.size), overlay: nil)
        }
        statistics.commits.add(1, ordering: .relaxed)
        commitTime = Clock.monotonic
        statistics.heartbeat.store(commitTime, ordering: .relaxed)
        isFlipping = true
    }

    /// The committed frame is on screen: its predecessor is done with.
    private func retire(flippedAt time: Int64) {
        isFlipping = false
        guard next.isNew else { return }  // the same once more
        if next.image != nil {
            statistics.shown.add(1, ordering: .relaxed)
            statistics.bytesPerFrame.store(feed?.bytesPerFrame ?? 0, ordering: .relaxed)
            statistics.latency.add(time - next.timestamp)
        }
        shown = next.take()
    }

    // MARK: jobs

    func setOverlay(_ picture: OverlayPicture?) { overlay.show(picture) }

    var screenSize: Dimensions? { device?.size }
    /// What lies above the video picture on screen and is not in it.
    var overlayPicture: OverlayPicture? { shown.isBlended ? nil : overlay.picture }

    /// Runs `body` with the video picture on screen; `nil` when it is black.
    func withShownVideo(
        _ body: ((pixels: PixelAccess, placement: LayerPlacement)?) throws -> Void
    ) throws {
        let placement = shown.placement
        guard let image = shown.image else { return try body(nil) }
        try unsafe image.withPixels { pixels in try unsafe body((pixels, placement)) }
    }

    func canScanOut(_ format: PixelFormat) -> Bool { device?.canScanOut(format) ?? false }

    func allocate(_ description: FrameDescription, count: Int) throws -> [[FrameBuffer]]? {
        guard let device else { return nil }
        return try (0..<count).map { _ in
            try device.makeImage(
                description.pixelFormat, description.dimensions, color: description.color,
                .brief
            ).buffers
        }
    }

    func connect(
        _ pool: FramePool, _ frames: NewestFrame, _ rung: PreviewRung, isMirrored: Bool
    ) throws -> PreviewPath {
        guard let device else { throw DisplayError(.noDisplay, "there is no display") }
        let old = self.feed
        let feed = try adopt(on: device) { device in
            try VideoFeed(
                pool, frames, rung, device, VideoLayout(gravity: gravity, isMirrored: isMirrored))
        }
        old?.frames.clear()
        return feed.path
    }

    /// Takes frames by another way from now on. What is on screen stays there until the first new
    /// frame's flip, unless the display has changed its mode for them.
    private func adopt(
        on device: any ScanoutDevice, _ make: (any ScanoutDevice) throws -> VideoFeed
    ) throws -> VideoFeed {
        // Looking for a way may have changed the mode, also where none was found.
        defer { announce(device) }
        let feed = try make(device)
        self.feed = feed
        return feed
    }

    /// No frames come any more. A picture with the overlay in it makes way for the overlay alone,
    /// which else would stay as it is.
    func suspend() {
        feed?.frames.clear()
        if next.isNew ? next.isBlended : shown.isBlended { mustClear = true }
    }

    /// Returns when nothing of the camera's is on screen any more: two flips, or the loss of a display
    /// that does not answer.
    func disconnect() {
        feed?.frames.clear()
        feed = nil
        guard let device, shown.image != nil || next.image != nil else { return letGo() }
        do {
            try waitForFlip(device)
            mustClear = true
            try present(device, changed: true)
            try waitForFlip(device)
        } catch {
            lose(error as? DisplayError ?? DisplayError(.failed, "display", underlying: error))
        }
    }

    private func waitForFlip(_ device: any ScanoutDevice) throws {
        while try !hasFlipped(device) { sleep.waitForFlip(milliseconds: 100) }
    }
}

/// A frame on its way to the screen, or there.
private struct ShownFrame: ~Copyable {
    /// `nil` for black.
    var image: (any ScanoutImage)?
    var placement = LayerPlacement.whole(Dimensions(width: 0, height: 0))
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

    init(_ image: any ScanoutImage, _ feed: VideoFeed, timestamp: Int64) {
        self.image = image
        placement = feed.placement
        isBlended = feed.blendsOverlay
        self.timestamp = timestamp
        isNew = true
    }

    /// What a commit shows of it.
    var layer: (image: (any ScanoutImage)?, placement: LayerPlacement, isBlended: Bool) {
        (image, placement, isBlended)
    }

    mutating func take() -> ShownFrame {
        var taken = ShownFrame()
        swap(&taken, &self)
        return taken
    }
}
