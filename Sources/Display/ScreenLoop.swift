// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import LinuxIO
internal import Media
internal import Synchronization

/// The work of the display's thread: one commit at a time, each waiting for the flip of the one
/// before.
///
///     absent ──display found──▶ idle ◀──flip── flipping
///       ▲                         │  ──commit──▶  │
///       └──────── lost ◀──────────┴───────────────┘ commit refused, no flip for 3 s
///
/// If frames come more slowly than the display refreshes, most flips are not announced, which saves
/// an event in the kernel and a system call here. Such a flip is known to be over when the display
/// accepts the next commit.
struct ScreenLoop: ~Copyable {
    /// The interval at which an unchanged screen is committed again, to prove that it is alive. It
    /// is no multiple of usual frame intervals, lest each check meet the camera's thread at work.
    static let heartbeat: Int64 = 910_000_000
    /// The interval between two searches for a display, which probe connectors slowly, or between
    /// two attempts to draw the overlay. It is a little less than two heartbeats, so that every
    /// second wake-up of an idle thread finds a retry due.
    static let retryInterval = 2 * heartbeat - 100_000_000
    /// How long a camera may send nothing but undecodable frames before its video is given up.
    private static let undecodableLimit: Int64 = 3_000_000_000
    /// The interval at which a flip is announced only to be timed.
    private static let timingInterval: Int64 = 1_000_000_000

    let sleep: ScreenSleep
    let gravity: Gravity
    let statistics: ScreenStatistics
    let open: () throws(DisplayError) -> any ScanoutDevice
    let emit: (Screen.Event) -> Void

    var device: (any ScanoutDevice)?
    var announced: (mode: String, size: Dimensions)?
    var lastRefusal = ""
    /// The time of the next search, while there is no display.
    var nextSearch: Int64 = 0
    var isEnding = false
    /// Whether the monitor is to be on.
    var isActive = true
    /// An error from the camera's thread, for the display's thread to handle.
    var failure: (any Error)?

    /// The connected streams. ``feed`` belongs to playback if that is connected.
    var connections: (camera: Connection?, playback: Connection?)
    var feed: VideoFeed? {
        didSet {
            lastCommit = nil
            // Another feed may be allocated at the same address.
            shown.forgetFeed()
            next.forgetFeed()
        }
    }
    /// The times of the first and the last frame in a run of undecodable ones.
    var undecodable: (since: Int64, last: Int64)?
    /// Whether a video was given up, and none has been shown since.
    var videoHasFailed = false
    var overlay = OverlayLayer()
    /// The frame on screen since the last flip. Its memory is in use until its successor's flip.
    var shown = ShownFrame()
    /// The frame that is on screen from the next flip on.
    var next = ShownFrame()
    /// The frame that an unannounced flip replaces. ``shown`` is already its successor, but nothing
    /// reports the flip: this frame's memory is in use until the next commit is accepted.
    var leaving = ShownFrame()
    /// The last commit's video; `nil` if it showed none.
    private var lastCommit: CommittedVideo?
    /// The time of the last commit, or of the display's opening.
    var commitTime: Int64 = 0
    var flight = Flight.over
    /// The time of the last flip that was read.
    var flipTime: Int64 = 0
    /// The refresh interval at the last full commit. The initial value is the wait after a refusal.
    var refreshInterval: Int64 = 10_000_000
    /// The last frame of playback if the overlay is blended into it, to be drawn again when the
    /// overlay changes and no frame comes.
    var redrawable: FrameLease?
    private var mustRedraw = false
    /// Whether the video must leave the screen, for black or the overlay.
    var mustClear = false
    /// Whether a change is not committed yet, perhaps because the display refused it for a moment.
    var owesCommit = false

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

    /// Does the work of the display's thread each time it wakes up. Returns how long it may sleep;
    /// `nil` once the display is closed for good.
    mutating func turn(_ jobs: [Screen.Job]) -> Rest? {
        if let failure { lose(failure) }
        // The display opens before the jobs run: a caller right after the start finds it.
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

    /// Shows a frame that is scanned out directly, on the thread that brings it. Returns whether
    /// nothing is left to do for the display's thread.
    mutating func showArrived(from input: Input) -> Bool {
        // The camera's newest frame waits until playback ends.
        if input == .camera, connections.playback != nil { return true }
        guard failure == nil, isActive, !mustDrawOverlay, !mustClear, let device, let feed,
            feed.holdsFrames
        else { return false }
        do { try show(feed, device) } catch { failure = error }
        return failure == nil && !mustClear && !owesCommit && !feed.frames.isWaiting
    }

    private var hasWork: Bool {
        // A nonmutating getter would read a copy of the whole loop.
        mutating get {
            isActive
                && (feed?.frames.isWaiting == true || mustDrawOverlay || mustClear || mustRedraw)
        }
    }

    /// Whether the overlay has changed and is not blended into the video's picture.
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

    /// Shows the newest frame and any other change, unless the display is not ready.
    private mutating func show(_ feed: VideoFeed?, _ device: any ScanoutDevice) throws {
        let now = Clock.monotonic
        if try !hasFlipped(device, at: now) { return }
        if let feed, try flipUnannounced(feed, device, at: now) { return }
        if let feed {
            if let lease = feed.frames.take() {
                let arrival = lease.info.timestamp
                prepare(lease, feed, device, arrivedAt: arrival, at: now)
            } else if mustRedraw, let lease = redrawable.take() {
                prepare(lease, feed, device, arrivedAt: now, at: now)
            }
        }
        mustRedraw = false
        try present(device, at: now)
    }

    /// Commits changes, or a heartbeat that is due.
    mutating func present(_ device: any ScanoutDevice, at now: Int64) throws {
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

    private mutating func prepare(
        _ lease: consuming FrameLease, _ feed: VideoFeed, _ device: any ScanoutDevice,
        arrivedAt arrival: Int64, at now: Int64
    ) {
        do {
            let feed = feed.isUndecided ? try decide(feed, by: lease, device) : feed
            let image = try feed.image(
                for: lease, avoiding: shown.image, blending: overlay.picture(for: device.size))
            next.show(image, feed, timestamp: arrival)
            statistics.bytesPerFrame.store(feed.bytesPerFrame, ordering: .relaxed)
            // Any other picture is a copy, and the frame returns to the camera here.
            if feed.holdsFrames {
                next.lease = consume lease
            } else if feed.blendsOverlay, connections.playback != nil {
                redrawable = consume lease
            }
            owesCommit = true
            undecodable = nil
        } catch is DamagedFrame {
            skip(at: now)
        } catch is ChangedFrame {
            // This frame's header may be damaged, so the next one decides.
            self.feed = feed.undecided
            skip(at: now)
        } catch {
            giveUpVideo(DisplayError(.failed, "the video cannot be shown", underlying: error))
        }
    }

    /// Counts a frame that cannot be decoded, and gives the video up after a long run of them.
    private mutating func skip(at now: Int64) {
        statistics.undecodable.add(1, ordering: .relaxed)
        // A run ends with a pause, such as the monitor's standby.
        var since = now
        if let undecodable, now - undecodable.last < Self.undecodableLimit / 3 {
            since = undecodable.since
        }
        undecodable = (since, now)
        if now - since >= Self.undecodableLimit {
            giveUpVideo(
                DisplayError(.failed, "the camera's frames cannot be decoded"))
        }
    }

    mutating func giveUpVideo(_ error: DisplayError) {
        if connections.playback != nil {
            emit(.playbackFailed(error))
            return suspend(.playback)
        }
        drop(.camera)
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
            return  // The next frame or the next turn tries again.
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

    /// Flips to a frame if only the picture differs from the last commit. Returns whether it did.
    private func flip(_ frame: borrowing ShownFrame, _ device: any ScanoutDevice) throws -> Bool {
        guard let lastCommit, lastCommit.feed == frame.feed, let image = frame.image,
            lastCommit.overlay == overlayImage(above: frame).map(ObjectIdentifier.init)
        else { return false }
        return try device.flip(to: image, isAnnounced: true)
    }

    /// Flips to the newest frame without an announcement, if only the picture changes and the last
    /// commit is long enough ago for a camera slower than the display. Most frames of such a camera
    /// take this path. Once a second a flip is announced all the same, to be timed. Returns `false`
    /// if more is to be done.
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
        // The display needs a full commit, or is not ready yet.
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

    mutating func setOverlay(_ picture: OverlayPicture?) {
        overlay.show(picture)
        // Without playback, the camera's next frame shows it.
        mustRedraw = connections.playback != nil
    }

    var screenSize: Dimensions? { device?.size }
    /// The overlay above the video picture on screen, unless it is blended into that.
    var overlayPicture: OverlayPicture? {
        shown.isBlended || !isActive ? nil : overlay.picture
    }

    /// Runs `body` with the video picture on screen; with `nil` if it is black.
    func withShownVideo(
        _ body: ((pixels: PixelAccess, placement: LayerPlacement)?) throws -> Void
    ) throws {
        let placement = shown.placement
        guard let image = shown.image else { return try body(nil) }
        try unsafe image.withUprightPixels { pixels in try unsafe body((pixels, placement)) }
    }

    func canScanOut(_ format: PixelFormat) -> Bool { device?.canScanOut(format) ?? false }

    func allocate(
        _ description: FrameDescription, _ mapping: ImageMapping
    ) throws -> [FrameBuffer]? {
        // The device allocates a picture as one buffer, with its own row length.
        guard let device, description.bufferSizes.count == 1 else { return nil }
        let frame = try device.makeImage(
            description.pixelFormat, description.dimensions, color: description.color, mapping
        ).buffers
        return frame[0].size >= description.bufferSizes[0] ? frame : nil
    }
}
