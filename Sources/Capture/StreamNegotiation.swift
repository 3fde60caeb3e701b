// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media

/// Finds format, memory and path for a stream: allocation is probed, not assumed.
struct StreamNegotiation {
    let plan: StreamPlan
    let camera: any CameraStream
    let identity: CameraIdentity
    let wake: WakeSignal
    private(set) var refusals: [String] = []

    init(
        plan: StreamPlan, camera: any CameraStream, identity: CameraIdentity, wake: WakeSignal
    ) {
        self.plan = plan
        self.camera = camera
        self.identity = identity
        self.wake = wake
    }

    /// - Throws: when no format with no memory works at all. A display that cannot show the frames is
    ///   no reason to throw: photos are taken all the same.
    mutating func run(
        _ formats: [CaptureFormat]
    ) throws(CaptureError) -> (pool: FramePool, running: RunningStream) {
        let target = plan.preview?.output.target
        let ranked = plan.choice.rank(formats) { target?.canScanOut($0) ?? false }
        guard let best = ranked.first else {
            let offered = formats.map(\.description).joined(separator: ", ")
            throw CaptureError(
                .unsupported,
                "camera \"\(identity.name)\" has no format for the configuration; it offers \(offered)"
            )
        }
        // The first format decides between scanning out and converting; later ones are for cameras
        // that announce what they then refuse.
        for format in ranked {
            for rung in plan.rungs {
                do {
                    return try attempt(format, rung)
                } catch let error as CaptureError where error.code == .disconnected {
                    throw error
                } catch {
                    refusals.append("\(format) \(rung): \(error)")
                    camera.stop()
                }
            }
        }
        return try withoutPreview(best)
    }

    private func attempt(
        _ format: CaptureFormat, _ rung: PreviewRung
    ) throws -> (pool: FramePool, running: RunningStream) {
        let stream = try configure(format)
        if rung != .mapped, stream.frame.pixelFormat.isCompressed, plan.preview != nil {
            throw CaptureError(.unsupported, "compressed frames cannot be scanned out")
        }
        let memory: StreamMemory =
            switch rung {
            case .exported: .exported
            case .mapped: .mapped
            case .imported: .imported(try foreignMemory(stream.frame))
            }
        let pool = try allocate(stream, memory)
        let path = try plan.preview.map { preview in
            try preview.output.target.connect(
                pool, frames: preview.output.frames, by: rung,
                isMirrored: preview.connection.isVideoMirrored)
        }
        return (pool, running(stream, path))
    }

    private func withoutPreview(
        _ format: CaptureFormat
    ) throws(CaptureError) -> (pool: FramePool, running: RunningStream) {
        do throws(SystemCallError) {
            let stream = try configure(format)
            do throws(SystemCallError) {
                return (try allocate(stream, .exported), running(stream, nil))
            } catch {
                camera.stop()
                return (try allocate(stream, .mapped), running(stream, nil))
            }
        } catch {
            throw CaptureError(identity.name, error)
        }
    }

    private func configure(_ format: CaptureFormat) throws(SystemCallError) -> StreamDescription {
        try camera.configure(format, frameRate: plan.input.frameRate)
    }

    private func allocate(
        _ stream: StreamDescription, _ memory: StreamMemory
    ) throws(SystemCallError) -> FramePool {
        let buffers = try camera.allocate(memory, count: plan.bufferCount)
        return FramePool(description: stream.frame, buffers: buffers, wake: wake)
    }

    private func running(_ stream: StreamDescription, _ path: PreviewPath?) -> RunningStream {
        RunningStream(
            identity: identity, stream: stream, previewPath: path, refusals: refusals)
    }

    /// DMA-BUFs from a heap, contiguous ones first because every device can use them; else the
    /// display's own.
    private func foreignMemory(_ frame: FrameDescription) throws -> [[FrameBuffer]] {
        for heap in DMAHeap.available() {
            let buffers = try? (0..<plan.bufferCount).map { _ in
                try frame.bufferSizes.map { size in
                    try FrameBuffer(
                        dmaBuf: heap.allocate(size), size: heap.rounded(size), keepsMapping: false)
                }
            }
            if let buffers { return buffers }
        }
        if let own = try plan.preview?.output.target.allocate(frame, count: plan.bufferCount) {
            return own
        }
        throw CaptureError(.unsupported, "neither a DMA heap nor the display has memory to lend")
    }
}
