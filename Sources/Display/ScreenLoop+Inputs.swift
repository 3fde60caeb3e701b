// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
internal import LinuxIO
internal import Media
internal import Synchronization

/// The two streams that a screen can show. Playback covers the camera.
extension ScreenLoop {
    enum Input { case camera, playback }

    /// A stream that is connected, and how.
    struct Connection {
        let pool: FramePool
        let frames: FrameHandoff
        let memoryPath: PreviewMemoryPath
        let layout: VideoLayout
    }

    mutating func connect(
        _ input: Input, _ pool: FramePool, _ frames: FrameHandoff,
        _ memoryPath: PreviewMemoryPath, _ layout: VideoLayout
    ) throws -> PreviewPath {
        guard let device else { throw DisplayError(.noDisplay, "there is no display") }
        // The old feed ends first, so that two streams do not need memory at once. Its picture
        // stays on screen until the first new frame's flip, unless the new feed changes the mode.
        drop(input)
        defer {
            announce(device)
            // A new mode has switched the monitor on.
            if !isActive { switchOff(device) }
        }
        var layout = layout
        layout.gravity = layout.gravity ?? gravity
        let connection = Connection(
            pool: pool, frames: frames, memoryPath: memoryPath, layout: layout)
        let feed = try VideoFeed(connection, device)
        switch input {
        case .camera: connections.camera = connection
        case .playback: connections.playback = connection
        }
        if input == .camera, connections.playback != nil {
            // The camera's feed has only been tried: it may have changed the mode.
            resume(device)
        } else {
            endFeed()
            self.feed = feed
        }
        return feed.path
    }

    /// Records how long a frame took from its timestamp to the screen. Frames of playback have the
    /// time of their arrival.
    func note(latency: Int64) {
        if connections.playback == nil { return statistics.latency.add(latency) }
        // A refresh takes its time from the first line to the last.
        let latency = latency + refreshInterval / 2
        let former = statistics.playbackLatency.load(ordering: .relaxed)
        statistics.playbackLatency.store(
            former == 0 ? latency : former + (latency - former) / Self.latencySmoothing,
            ordering: .relaxed)
    }

    private static let latencySmoothing: Int64 = 8

    /// Shows what is connected, after something else was shown.
    private mutating func resume(_ device: any ScanoutDevice) {
        endFeed()
        guard let connection = connections.playback ?? connections.camera else { return }
        do {
            feed = try VideoFeed(connection, device)
        } catch {
            giveUpVideo(DisplayError(.failed, "the video cannot be shown", underlying: error))
        }
    }

    /// Ends the present feed. Frames of its stream may still come.
    private mutating func endFeed() {
        feed = nil
        redrawable = nil
        undecodable = nil
        // A refused frame is dropped, but a refused black picture stays pending.
        if flight != .announced, next.image != nil { next.clear() }
    }

    /// Forgets a stream.
    mutating func drop(_ input: Input) {
        let isShown = input == .playback || connections.playback == nil
        switch input {
        case .camera: connections.camera.take()?.frames.clear()
        case .playback: connections.playback.take()?.frames.clear()
        }
        if isShown { endFeed() }
    }

    mutating func dropAll() {
        drop(.playback)
        drop(.camera)
    }

    /// Ends a stream. The camera's comes back after playback. A picture with the overlay blended in
    /// is replaced by the overlay, which could not change otherwise.
    mutating func suspend(_ input: Input) {
        let wasShown = feed != nil
        drop(input)
        if feed != nil { return }
        if connections.camera != nil, let device {
            resume(device)
            announce(device)
        } else if wasShown, next.isNew ? next.isBlended : shown.isBlended {
            mustClear = true
        }
    }

    /// Returns when no camera memory is on screen any more: after two flips, or after the loss of a
    /// display that does not answer.
    mutating func disconnect() {
        drop(.camera)
        guard let device, [shown.image, next.image, leaving.image].contains(where: { $0 != nil })
        else { return letGo() }
        do {
            try waitForFlip(device)
            mustClear = true
            while flight != .announced {
                try present(device, at: Clock.monotonic)
                // The commit was refused for a moment.
                if flight != .announced { sleep.waitForFlip(milliseconds: 10) }
            }
            try waitForFlip(device)
        } catch {
            lose(error)
        }
    }
}

extension VideoFeed {
    fileprivate convenience init(
        _ connection: ScreenLoop.Connection, _ device: any ScanoutDevice
    ) throws {
        try self.init(
            connection.pool, connection.frames, connection.memoryPath, device, connection.layout)
    }
}
