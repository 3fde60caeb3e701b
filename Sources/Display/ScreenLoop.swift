// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import LinuxIO
internal import Media
internal import Synchronization

/// What drives the display: one commit at a time, each waiting for the flip of the one before.
///
///     absent ──display found──▶ idle ◀──flip── flipping
///       ▲                         │  ──commit──▶  │
///       └──────── lost ◀──────────┴───────────────┘ commit refused, no flip for 3 s
///
/// Of frames that come more slowly than the display refreshes most flips are not announced, which spares the kernel an
/// event and this program a system call: the next commit, which is not refused, tells as well.
struct ScreenLoop: ~Copyable {
    /// A screen on which nothing changes is committed again so often, to prove that it lives. No multiple of what
    /// cameras' frames are apart: whoever looks whether it is time would meet the camera's thread at work each time.
    static let heartbeat: Int64 = 910_000_000
    /// How long to wait between two looks for a display, where probing connectors is slow, or for an overlay's
    /// memory: each second time that the thread wakes up by itself, and a little less, so that it is due then.
    static let retryInterval = 2 * heartbeat - 100_000_000
    /// A camera that sends nothing but what cannot be decoded for so long shows no video.
    private static let undecodableLimit: Int64 = 3_000_000_000
    /// How often a flip is timed, though no frame needs it.
    private static let timingInterval: Int64 = 1_000_000_000

    let sleep: ScreenSleep
    private let gravity: Gravity
    let statistics: ScreenStatistics
    let open: () throws(DisplayError) -> any ScanoutDevice
    let emit: (Screen.Event) -> Void

    var device: (any ScanoutDevice)?
    var announced: (mode: String, size: Dimensions)?
    var lastRefusal = ""
    /// When to look for a display again, while there is none.
    var nextSearch: Int64 = 0
    var isEnding = false
    /// Whether the monitor shall be on.
    var isActive = true
    /// What went wrong on the camera's thread, for the display's own to act on.
    var failure: (any Error)?

    private var feed: VideoFeed? {
        didSet {
            lastCommit = nil
            // Another may come to lie where it lay.
            shown.forgetFeed()
            next.forgetFeed()
        }
    }
    /// Frames one soon after the other that could not be decoded: when the first came, and the last.
    private var undecodable: (since: Int64, last: Int64)?
    /// Since a camera's video was given up none has been shown.
    var videoHasFailed = false
    var overlay = OverlayLayer()
    /// On screen since the last flip; its memory is in use until its successor's.
    var shown = ShownFrame()
    /// Committed, and on screen from the next flip on.
    var next = ShownFrame()
    /// What an unannounced flip takes away. ``shown`` is its successor already, and nobody tells when that really is:
    /// this one's memory is in use until the next commit is not refused.
    var leaving = ShownFrame()
    /// What the last commit showed, if that was video.
    private var lastCommit: CommittedVideo?
    /// Of the last commit, or of the display's opening.
    var commitTime: Int64 = 0
    var flight = Flight.over
    /// When a flip was read last.
    var flipTime: Int64 = 0
    /// Of the mode that the last commit of everything was made in; before it, how long to wait after a refusal.
    var refreshInterval: Int64 = 10_000_000
    /// The video is to leave the screen, for black or the overlay.
    var mustClear = false
    /// Something has changed that the display has not taken yet; perhaps it was refused for a moment.
    var owesCommit = false

    /// A video's picture and what lies above it.
    private struct CommittedVideo {
        let feed: ObjectIdentifier?
        let overlay: ObjectIdentifier?
    }

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

    /// What the display's thread does each time it is awake.
    ///
    /// - Returns: `nil` when the display is closed for good.
    mutating func turn(_ jobs: [Screen.Job]) -> Rest? {
        if let failure { lose(failure) }
        // Before the jobs: whoever asks right after the start finds a display.
        openDeviceIfDue()
        for job in jobs { job(&self) }
        if isEnding {
            device?.close()
            letGo()
            return nil
        }
        overlay.retryIfDue(after: Self.retryInterval)
        repeat {
            openDeviceIfDue()
            do { try step() } catch { lose(error) }
        } while hasWork && flight == .over && device != nil
        let now = Clock.monotonic
        statistics.turnTime.store(now, ordering: .relaxed)
        if device == nil || !isActive { statistics.commitTime.store(now, ordering: .relaxed) }
        return device != nil && (hasWork || owesCommit) ? restBeforeCommit : .untilWork
    }

    /// What the camera's thread does with a frame that is scanned out as it is.
    ///
    /// - Returns: whether nothing is left to do for the display's thread.
    mutating func showArrived() -> Bool {
        guard failure == nil, isActive, !mustDrawOverlay, !mustClear, let device, let feed,
            feed.holdsFrames
        else { return false }
        do { try show(feed, device) } catch { failure = error }
        return failure == nil && !mustClear && !owesCommit && !feed.frames.isWaiting
    }

    private var hasWork: Bool {
        // `mutating`, else a copy of the whole loop would be looked at.
        mutating get {
            isActive && (feed?.frames.isWaiting == true || mustDrawOverlay || mustClear)
        }
    }

    /// Whether the overlay has changed and is not in the video's picture.
    private var mustDrawOverlay: Bool {
        let isBlended = next.isNew ? next.isBlended : shown.isBlended
        return overlay.isStale && (mustClear || !isBlended)
    }

    // MARK: frames

    private mutating func step() throws {
        guard let device else { return }
        if !isActive {
            feed?.frames.clear()
            return
        }
        try show(feed, device)
    }

    /// Shows the newest frame, and whatever else has changed, unless the display is not ready for it.
    private mutating func show(_ feed: VideoFeed?, _ device: any ScanoutDevice) throws {
        let now = Clock.monotonic
        if try !hasFlipped(device, at: now) { return }
        if let feed, try flipUnannounced(feed, device, at: now) { return }
        if let feed, let lease = feed.frames.take() { take(lease, feed, device, at: now) }
        try present(device, at: now)
    }

    /// Commits what has changed, if anything has.
    private mutating func present(_ device: any ScanoutDevice, at now: Int64) throws {
        if mustClear {
            if !next.isNew { next = .black }
            mustClear = false
            owesCommit = true
        }
        if mustDrawOverlay {
            if let news = overlay.update(on: device) { emit(news) }
            owesCommit = true
        }
        if owesCommit || now - commitTime >= Self.heartbeat { try commit(device, at: now) }
    }

    private mutating func take(
        _ lease: consuming FrameLease, _ feed: VideoFeed, _ device: any ScanoutDevice, at now: Int64
    ) {
        do {
            let feed = feed.isUndecided ? try decide(feed, by: lease, device) : feed
            let image = try feed.image(
                for: lease, avoiding: shown.image, blending: overlay.picture(for: device.size))
            next.show(image, feed, timestamp: lease.info.timestamp)
            statistics.bytesPerFrame.store(feed.bytesPerFrame, ordering: .relaxed)
            // Otherwise the picture is a copy, and the camera gets its frame back here.
            if feed.holdsFrames { next.lease = consume lease }
            owesCommit = true
            undecodable = nil
        } catch is DamagedFrame {
            skip(at: now)
        } catch is ChangedFrame {
            // The next one decides: this one's header may be damaged.
            self.feed = feed.undecided
            skip(at: now)
        } catch {
            giveUpVideo(DisplayError(.failed, "the video cannot be shown", underlying: error))
        }
    }

    /// A frame is no picture.
    private mutating func skip(at now: Int64) {
        statistics.undecodable.add(1, ordering: .relaxed)
        // After a pause, as of a monitor in standby, it begins anew.
        var since = now
        if let undecodable, now - undecodable.last < Self.undecodableLimit / 3 {
            since = undecodable.since
        }
        undecodable = (since, now)
        if now - since >= Self.undecodableLimit {
            giveUpVideo(
                DisplayError(.failed, "nothing that the camera sends can be decoded"))
        }
    }

    private mutating func giveUpVideo(_ error: DisplayError) {
        dropFeed()
        mustClear = true
        videoHasFailed = true
        emit(.videoFailed(error))
    }

    private mutating func decide(
        _ feed: VideoFeed, by lease: borrowing FrameLease, _ device: any ScanoutDevice
    ) throws -> VideoFeed {
        defer { announce(device) }
        let decided = try feed.decided(by: lease, device)
        self.feed = decided
        return decided
    }

    private mutating func commit(_ device: any ScanoutDevice, at now: Int64) throws {
        do {
            try commitLayers(device)
        } catch let error as SystemCallError where mayBeRetried(error, at: now) {
            return  // Owed still: the next frame, or the next turn, tries again.
        }
        overlay.wasCommitted()
        wasCommitted(.announced, at: now)
    }

    private mutating func commitLayers(_ device: any ScanoutDevice) throws {
        if next.isNew, try flip(next, device) { return }
        lastCommit = nil
        lastCommit = try next.isNew ? commit(next, device) : commit(shown, device)
        refreshInterval = device.refreshInterval
    }

    /// Whether nothing but the picture is another than in the last commit, and now is that.
    private func flip(_ frame: borrowing ShownFrame, _ device: any ScanoutDevice) throws -> Bool {
        guard let lastCommit, lastCommit.feed == frame.feed, let image = frame.image,
            lastCommit.overlay == overlayImage(above: frame).map(ObjectIdentifier.init)
        else { return false }
        return try device.flip(to: image, isAnnounced: true)
    }

    /// What becomes of most frames of a camera that is slower than the display: nothing but the picture is another, and
    /// the next frame comes after the flip. Once a second one is announced all the same, to be timed.
    ///
    /// - Returns: `false` where more is to be done.
    private mutating func flipUnannounced(
        _ feed: VideoFeed, _ device: any ScanoutDevice, at now: Int64
    ) throws -> Bool {
        guard feed.holdsFrames, !next.isNew, !mustClear, !mustDrawOverlay,
            (now - commitTime) * 2 >= refreshInterval * 3, now - flipTime < Self.timingInterval,
            let lastCommit, lastCommit.feed == ObjectIdentifier(feed),
            lastCommit.overlay == overlay.image.map(ObjectIdentifier.init),
            let lease = feed.frames.take()
        else { return false }
        let image = feed.image(of: lease)
        do {
            if try device.flip(to: image, isAnnounced: false) {
                wasCommitted(.unannounced, at: now)
                swap(&leaving, &shown)
                shown.show(image, feed, timestamp: lease.info.timestamp)
                shown.lease = consume lease
                return true
            }
        } catch let error as SystemCallError where mayBeRetried(error, at: now) {}
        // The display must be told everything, or is not ready yet.
        next.show(image, feed, timestamp: lease.info.timestamp)
        next.lease = consume lease
        owesCommit = true
        self.lastCommit = nil
        return false
    }

    private func commit(
        _ frame: borrowing ShownFrame, _ device: any ScanoutDevice
    ) throws -> CommittedVideo? {
        if let image = frame.image {
            let overlay = overlayImage(above: frame)
            try device.commit(video: image, frame.placement, overlay: overlay)
            return CommittedVideo(feed: frame.feed, overlay: overlay.map(ObjectIdentifier.init))
        }
        if device.hasOverlay {
            try device.commit(video: nil, .whole(device.size), overlay: overlay.image)
        } else {
            try device.commit(video: overlay.image, .whole(device.size), overlay: nil)
        }
        return nil
    }

    private func overlayImage(above frame: borrowing ShownFrame) -> (any ScanoutImage)? {
        frame.isBlended ? nil : overlay.image
    }

    // MARK: jobs

    mutating func setOverlay(_ picture: OverlayPicture?) { overlay.show(picture) }

    var screenSize: Dimensions? { device?.size }
    /// What lies above the video picture on screen and is not in it.
    var overlayPicture: OverlayPicture? {
        shown.isBlended || !isActive ? nil : overlay.picture
    }

    /// Runs `body` with the video picture on screen; `nil` when it is black.
    func withShownVideo(
        _ body: ((pixels: PixelAccess, placement: LayerPlacement)?) throws -> Void
    ) throws {
        let placement = shown.placement
        guard let image = shown.image else { return try body(nil) }
        try unsafe image.withUprightPixels { pixels in try unsafe body((pixels, placement)) }
    }

    func canScanOut(_ format: PixelFormat) -> Bool { device?.canScanOut(format) ?? false }

    func allocate(_ description: FrameDescription) throws -> [FrameBuffer]? {
        // The device's pictures lie in one buffer, with rows as long as the device wants them.
        guard let device, description.bufferSizes.count == 1 else { return nil }
        let frame = try device.makeImage(
            description.pixelFormat, description.dimensions, color: description.color, .brief
        ).buffers
        return frame[0].size >= description.bufferSizes[0] ? frame : nil
    }

    mutating func connect(
        _ pool: FramePool, _ frames: NewestFrame, _ rung: PreviewRung,
        _ orientation: ExifOrientation
    ) throws -> PreviewPath {
        guard let device else { throw DisplayError(.noDisplay, "there is no display") }
        // First, so that the memory of two streams is not needed at once. What is on screen stays there
        // until the first new frame's flip, unless looking for a way changes the mode.
        dropFeed()
        defer {
            announce(device)
            // Another mode has switched it on.
            if !isActive { switchOff(device) }
        }
        let feed = try VideoFeed(
            pool, frames, rung, device, VideoLayout(gravity: gravity, orientation: orientation))
        self.feed = feed
        return feed.path
    }

    mutating func dropFeed() {
        feed?.frames.clear()
        feed = nil
        undecodable = nil
        // A frame that was refused does not come any more; black does.
        if flight != .announced, next.image != nil { next.clear() }
    }

    /// No frames come any more. A picture with the overlay in it makes way for the overlay alone,
    /// which else would stay as it is.
    mutating func suspend() {
        dropFeed()
        if next.isNew ? next.isBlended : shown.isBlended { mustClear = true }
    }

    /// Returns when nothing of the camera's is on screen any more: two flips, or the loss of a display
    /// that does not answer.
    mutating func disconnect() {
        dropFeed()
        guard let device, [shown.image, next.image, leaving.image].contains(where: { $0 != nil })
        else { return letGo() }
        do {
            try waitForFlip(device)
            mustClear = true
            while flight != .announced {
                try present(device, at: Clock.monotonic)
                // Refused for a moment.
                if flight != .announced { sleep.waitForFlip(milliseconds: 10) }
            }
            try waitForFlip(device)
        } catch {
            lose(error)
        }
    }
}
