// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Media
internal import V4L2

/// Finds format, memory and preview path for a stream. Memory is probed, not assumed: a candidate
/// is chosen only once the camera has taken its frames and started.
struct StreamNegotiation {
    /// The fewest frames with which display and camera do not wait for each other.
    private static let leastFrames = 3
    /// Two frames per screen, one shown and one committed, and two for the camera to fill.
    private var framesInUse: Int { 2 * max(plan.previews.count, 1) + 2 }
    /// The frames to keep if memory is short: those in use, and one for a press that is noticed
    /// late. The rest is left for the layers above the video.
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

    private struct Candidate {
        var format: CaptureFormat
        var memory: FrameMemorySource
        /// The preview memory path; `nil` if frames are not shown.
        var memoryPath: PreviewMemoryPath?
        /// The indexes of the previews that show the frames.
        var shown: [Int] = []
    }

    private enum FrameMemorySource {
        case driver, driverMapped, heap(DMAHeap), display

        var memoryPath: PreviewMemoryPath {
            switch self {
            case .driver: .exported
            case .driverMapped: .mapped
            case .heap, .display: .imported
            }
        }
    }

    /// Tries the candidates, best first, and returns the started stream and its parameters. Throws
    /// if no format works with any memory. A display that cannot show the frames is no reason to
    /// throw: photos are still taken.
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
        // One of two displays is better than none.
        let groups = [available] + (available.count > 1 ? available.map { [$0] } : [])
        let visible = available.isEmpty ? [] : groups.flatMap { shown(ranked, on: $0) }
        for candidate in visible + unshown(ranked) {
            // A refused start is tried again: a transient failure must not cost the best path.
            for mayRepeat in [true, false] {
                // Heartbeat: a silent camera is slow, but the thread does not hang.
                statistics.moved()
                do throws(CaptureError) {
                    return try attempt(candidate)
                } catch {
                    // Another thread owns camera and display now.
                    if camera.isGivenUp { throw error }
                    camera.stop()
                    // Displays may be connected to frames that will never come.
                    for target in targets { target.suspend() }
                    if error.code == .disconnected { throw error }
                    let way = candidate.memoryPath.map { "\($0)" } ?? "without preview"
                    refusals.append("\(candidate.format) \(way): \(error)")
                    last = error
                    guard mayRepeat, error.isRefusedStart else { break }
                }
            }
        }
        throw last
    }

    /// Returns the candidates with a preview: all memory paths for the best format, then for the
    /// next. Later formats serve cameras that announce formats and then refuse them. Compressed
    /// frames are never scanned out.
    private func shown(_ ranked: [CaptureFormat], on previews: [Int]) -> [Candidate] {
        ranked.flatMap { format in
            plan.memoryPaths.filter { $0 == .mapped || !format.pixelFormat.isCompressed }
                .flatMap { memoryPath in
                    sources(of: memoryPath).map {
                        Candidate(
                            format: format, memory: $0, memoryPath: memoryPath, shown: previews)
                    }
                }
        }
    }

    private func unshown(_ ranked: [CaptureFormat]) -> [Candidate] {
        ranked.flatMap { format in
            [.driver, .driverMapped].map { Candidate(format: format, memory: $0) }
        }
    }

    /// Returns the memory sources for a preview memory path. DMA-BUFs come from heaps, contiguous
    /// ones first because every device can use them, then from the display.
    ///
    /// The CPU writes a USB camera's frames through its cache, which many displays do not read.
    /// Such frames are scanned out only from the display's own memory, whose driver knows how to
    /// write it, unless the configuration names a memory.
    private func sources(of memoryPath: PreviewMemoryPath) -> [FrameMemorySource] {
        let isUSB = identity.deviceType == .usb || identity.busPath.hasPrefix("usb")
        let isCached = isUSB && plan.input.memory == .auto
        switch memoryPath {
        case .exported: return isCached ? [] : [.driver]
        case .mapped: return [.driverMapped]
        case .imported:
            let heaps: [FrameMemorySource] = DMAHeap.available().map { .heap($0) }
            return isCached ? [.display] : heaps + [.display]
        }
    }

    /// Returns the memory paths for a later display, which memory chosen without it may not suit.
    private func laterMemoryPaths(_ memoryPath: PreviewMemoryPath) -> [PreviewMemoryPath] {
        let isFit = plan.memoryPaths.contains(memoryPath) && !sources(of: memoryPath).isEmpty
        return isFit && memoryPath != .mapped ? [memoryPath, .mapped] : [.mapped]
    }

    private func attempt(
        _ candidate: Candidate
    ) throws(CaptureError) -> (queue: DriverQueue, running: RunningStream) {
        do {
            var stream = try camera.configure(candidate.format, frameRate: plan.input.frameRate)
            let buffers = try camera.allocate(
                try memory(candidate, stream.frame), count: plan.bufferCount)
            guard buffers.count >= Self.leastFrames else {
                throw CaptureError(.failed, "only \(buffers.count) frames could be allocated")
            }
            stream.camera = identity
            stream.frameCount = buffers.count
            stream.spareFrameCount = buffers.count - framesInUse
            let pool = FramePool(description: stream.frame, buffers: buffers, wake: wake)
            let paths = try plan.previews.enumerated().map { number, preview -> PreviewPath? in
                guard let memoryPath = candidate.memoryPath, candidate.shown.contains(number) else {
                    return nil
                }
                return try stream.connect(pool, to: preview, by: memoryPath)
            }
            var queue = DriverQueue(camera, pool)
            try queue.start()
            return (
                queue,
                RunningStream(
                    begin: Clock.monotonic, identity: identity, stream: stream,
                    activeFormat: candidate.format, formats: driver.formats,
                    previewPaths: paths,
                    laterMemoryPaths: laterMemoryPaths(candidate.memory.memoryPath),
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
                        throw CaptureError(.unsupported, "the display provides no memory")
                    }
                    return own
                })
        }
    }

    /// Allocates as many frames as planned, or fewer if memory is short.
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
    /// Whether the driver refused memory or the start, which it does not explain.
    fileprivate var isRefusedStart: Bool {
        guard let refused = underlying as? SystemCallError else { return false }
        return ["VIDIOC_REQBUFS", "VIDIOC_STREAMON"].contains(refused.call)
    }
}

extension StreamDescription {
    /// Throws the errors of ``PreviewTarget/connect(_:frames:by:layout:)``.
    func connect(
        _ pool: FramePool, to preview: (output: PreviewOutput, connection: CaptureConnection),
        by memoryPath: PreviewMemoryPath
    ) throws -> PreviewPath {
        let path = try preview.output.target.connect(
            pool, frames: preview.output.frames, by: memoryPath,
            layout: VideoLayout(orientation: preview.connection.orientation))
        // The CPU has converted the frames already, before the display's own pass.
        return path == .copied && cameraFormat != frame.pixelFormat ? .converted : path
    }
}
