// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Media
internal import V4L2

/// Finds format, memory and path for a stream: allocation is probed, not assumed. What counts is that
/// the camera takes the frames and starts; only then is a candidate chosen.
struct StreamNegotiation {
    /// With fewer frames the screen and the camera would wait for each other.
    private static let leastFrames = 3
    /// One on each screen, one committed there, and two for the camera to fill.
    private var framesInUse: Int { 2 * max(plan.previews.count, 1) + 2 }
    /// Where memory is short no more are taken, so that something is left for what lies above the video: and one for a
    /// press that is noticed late.
    private var fewFrames: Int { framesInUse + 1 }

    let plan: StreamPlan
    let camera: GuardedCamera
    let driver: any CameraDriver
    let wake: WakeSignal
    let statistics: CaptureStatistics
    private var refusals: [String] = []
    private var identity: CameraIdentity { driver.identity }

    init(
        plan: StreamPlan, camera: GuardedCamera, driver: any CameraDriver, wake: WakeSignal,
        statistics: CaptureStatistics
    ) {
        self.plan = plan
        self.camera = camera
        self.driver = driver
        self.wake = wake
        self.statistics = statistics
    }

    /// A way that may work.
    private struct Candidate {
        var format: CaptureFormat
        var memory: FrameMemorySource
        /// `nil`: frames are not shown.
        var rung: PreviewRung?
        /// Places of the previews that show them.
        var shown: [Int] = []
    }

    /// Where frame memory may come from.
    private enum FrameMemorySource {
        case driver, driverMapped, heap(DMAHeap), display

        var rung: PreviewRung {
            switch self {
            case .driver: .exported
            case .driverMapped: .mapped
            case .heap, .display: .imported
            }
        }
    }

    /// - Returns: a stream that has been started, and what was agreed.
    /// - Throws: when no format with no memory works at all. A display that cannot show the frames is
    ///   no reason to throw: photos are taken all the same.
    consuming func run() throws(CaptureError) -> (queue: DriverQueue, running: RunningStream) {
        let previews = plan.previews.map(\.output.target)
        let available = previews.indices.filter { previews[$0].isAvailable }
        let targets = available.map { previews[$0] }
        let ranked = plan.choice.rank(driver.formats) { format in
            !targets.isEmpty && targets.allSatisfy { $0.canScanOut(format) }
        }
        guard !ranked.isEmpty else {
            throw plan.choice.refusal(by: identity, driver.formats)
        }
        var last = CaptureError(.unsupported, "camera \"\(identity.name)\" cannot be started")
        // Rather on one of two displays than on none.
        let groups = [available] + (available.count > 1 ? available.map { [$0] } : [])
        let visible = available.isEmpty ? [] : groups.flatMap { shown(ranked, on: $0) }
        for candidate in visible + unshown(ranked) {
            // A driver's bad moment must not cost the best way for as long as the stream lasts.
            for mayRepeat in [true, false] {
                // A camera that answers nothing takes its time for each, and is no hanging thread.
                statistics.moved()
                do throws(CaptureError) {
                    return try attempt(candidate)
                } catch {
                    // Camera and display are another thread's now.
                    if camera.isGivenUp { throw error }
                    camera.stop()
                    // Displays may have been connected to frames that will never come.
                    for target in targets { target.suspend() }
                    if error.code == .disconnected { throw error }
                    let way = candidate.rung.map { "\($0)" } ?? "without preview"
                    refusals.append("\(candidate.format) \(way): \(error)")
                    last = error
                    guard mayRepeat, error.isRefusedStart else { break }
                }
            }
        }
        throw last
    }

    /// The first format decides between scanning out and converting; later ones are for cameras that
    /// announce what they then refuse. Compressed frames are never scanned out.
    private func shown(_ ranked: [CaptureFormat], on previews: [Int]) -> [Candidate] {
        ranked.flatMap { format in
            plan.rungs.filter { $0 == .mapped || !format.pixelFormat.isCompressed }
                .flatMap { rung in
                    sources(of: rung).map {
                        Candidate(format: format, memory: $0, rung: rung, shown: previews)
                    }
                }
        }
    }

    private func unshown(_ ranked: [CaptureFormat]) -> [Candidate] {
        ranked.flatMap { format in
            [.driver, .driverMapped].map { Candidate(format: format, memory: $0) }
        }
    }

    /// DMA-BUFs come from a heap, contiguous ones first because every device can use them, else from
    /// the display.
    ///
    /// A USB camera's frames are copied into place by the CPU, through its cache, which many displays do
    /// not look into: unless the configuration wants it, only the display's own memory is scanned out
    /// then, of which the driver knows how to write it.
    private func sources(of rung: PreviewRung) -> [FrameMemorySource] {
        let isCached = identity.busPath.hasPrefix("usb") && plan.input.memory == .auto
        switch rung {
        case .exported: return isCached ? [] : [.driver]
        case .mapped: return [.driverMapped]
        case .imported:
            let heaps: [FrameMemorySource] = DMAHeap.available().map { .heap($0) }
            return isCached ? [.display] : heaps + [.display]
        }
    }

    /// The rungs for a display that comes later: memory that was chosen without one need not be fit for it.
    private func laterRungs(_ rung: PreviewRung) -> [PreviewRung] {
        let isFit = plan.rungs.contains(rung) && !sources(of: rung).isEmpty
        return isFit && rung != .mapped ? [rung, .mapped] : [.mapped]
    }

    private func attempt(
        _ candidate: Candidate
    ) throws(CaptureError) -> (queue: DriverQueue, running: RunningStream) {
        do {
            var stream = try camera.configure(candidate.format, frameRate: plan.input.frameRate)
            let buffers = try camera.allocate(
                try memory(candidate, stream.frame), count: plan.bufferCount)
            guard buffers.count >= Self.leastFrames else {
                throw CaptureError(.failed, "memory for \(buffers.count) frames only")
            }
            stream.camera = identity
            stream.frameCount = buffers.count
            stream.spareFrameCount = buffers.count - framesInUse
            let pool = FramePool(description: stream.frame, buffers: buffers, wake: wake)
            let paths = try plan.previews.enumerated().map { number, preview -> PreviewPath? in
                guard let rung = candidate.rung, candidate.shown.contains(number) else {
                    return nil
                }
                return try stream.connect(pool, to: preview, by: rung)
            }
            var queue = DriverQueue(camera, pool)
            try queue.start()
            return (
                queue,
                RunningStream(
                    begin: Clock.monotonic, identity: identity, stream: stream,
                    activeFormat: candidate.format, formats: driver.formats,
                    previewPaths: paths, laterRungs: laterRungs(candidate.memory.rung),
                    refusals: refusals, missedPreset: plan.missedPreset(driver.formats))
            )
        } catch let error as CaptureError {
            throw error
        } catch let error as SystemCallError where error.call == ForeignFormat.library {
            throw CaptureError(.unsupported, "camera \"\(identity.name)\"", underlying: error)
        } catch let error as SystemCallError {
            throw CaptureError(identity.name, error)
        } catch {
            throw CaptureError(.unsupported, "preview", underlying: error)
        }
    }

    private func memory(
        _ candidate: Candidate, _ frame: FrameDescription
    ) throws -> StreamMemory {
        switch candidate.memory {
        case .driver: return .exported
        case .driverMapped: return .mapped
        case .heap(let heap):
            return .imported(
                try frames {
                    try frame.bufferSizes.map { size in
                        try FrameBuffer(
                            dmaBuf: heap.allocate(size), size: heap.rounded(size),
                            keepsMapping: false)
                    }
                })
        case .display:
            let target = candidate.shown.first.map { plan.previews[$0].output.target }
            return .imported(
                try frames {
                    guard let own = try target?.allocate(frame) else {
                        throw CaptureError(.unsupported, "the display has no memory to lend")
                    }
                    return own
                })
        }
    }

    /// As many as are planned, or fewer where memory is short.
    private func frames(_ allocate: () throws -> [FrameBuffer]) throws -> [[FrameBuffer]] {
        var frames: [[FrameBuffer]] = []
        do {
            while frames.count < plan.bufferCount { frames.append(try allocate()) }
        } catch let error as SystemCallError
            where error.code == ENOMEM && frames.count >= Self.leastFrames
        {
            frames.removeLast(max(frames.count - fewFrames, 0))
        }
        return frames
    }
}

extension CaptureError {
    /// Whether the driver gave no memory, or did not start, for reasons that it keeps to itself.
    fileprivate var isRefusedStart: Bool {
        guard let refused = underlying as? SystemCallError else { return false }
        return ["VIDIOC_REQBUFS", "VIDIOC_STREAMON"].contains(refused.call)
    }
}

extension StreamDescription {
    /// Has a display show the frames of a pool.
    ///
    /// - Throws: as ``PreviewTarget/connect(_:frames:by:orientation:)``.
    func connect(
        _ pool: FramePool, to preview: (output: PreviewOutput, connection: CaptureConnection),
        by rung: PreviewRung
    ) throws -> PreviewPath {
        let path = try preview.output.target.connect(
            pool, frames: preview.output.frames, by: rung,
            orientation: preview.connection.orientation)
        // Two passes of the CPU, whatever the display calls the second.
        return path == .copied && cameraFormat != frame.pixelFormat ? .converted : path
    }
}
