// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// The outputs of a running stream. Outputs may change while it runs if the camera is not affected;
/// displays may too, but only while an output must not be interrupted. Camera thread.
struct StreamOutputs {
    private(set) var plan: StreamPlan
    private(set) var generation: Int
    private(set) var running: RunningStream
    private(set) var outputs: [any CaptureOutput] = []
    /// The frames that camera and display were asked for; memory may have sufficed for fewer.
    private let framesWanted: Int

    /// Tells the outputs that the stream has started.
    init(_ plan: StreamPlan, _ generation: Int, of running: RunningStream) {
        (self.plan, self.generation, self.running) = (plan, generation, running)
        framesWanted = plan.bufferCount
        let connections = Self.connections(plan, running)
        outputs = connections.map(\.output)
        for connection in connections { start(connection) }
    }

    /// Returns the connections that get frames: a display that cannot show them gets none.
    private static func connections(
        _ plan: StreamPlan, _ running: RunningStream
    ) -> [CaptureConnection] {
        let dark = zip(plan.previews, running.previewPaths).filter { $1 == nil }.map(\.0.output)
        return plan.connections.filter { connection in
            !dark.contains { $0 === connection.output }
        }
    }

    private func start(_ connection: CaptureConnection) {
        connection.output.streamDidStart(running.stream, on: connection)
    }

    /// Adopts another plan for the same stream; outputs in both plans miss no frame. While an
    /// output must not be interrupted, new displays show the stream's frames as they are. Returns
    /// `false`, and changes nothing, if the stream must be negotiated again, for the best path.
    mutating func adopt(_ next: StreamPlan, _ generation: Int, _ pool: FramePool) -> Bool {
        guard next.isForSameCamera(as: plan), needsNoNewStream(for: next) else { return false }
        let showsTheSame = next.isForSameDisplays(as: plan)
        guard showsTheSame || mustNotBeInterrupted(by: next) else { return false }
        let former = plan
        (plan, self.generation) = (next, generation)
        if !showsTheSame { showOnOthers(than: former, pool) }
        let connections = Self.connections(next, running)
        for output in outputs where !connections.contains(where: { $0.output === output }) {
            output.streamDidStop(willRestart: false)
        }
        outputs = connections.map(\.output)
        for connection in connections {
            guard let before = former.connection(with: connection.output) else {
                start(connection)
                continue
            }
            // The display already knows its orientation.
            if before.isLike(connection) || connection.output is PreviewOutput { continue }
            connection.output.streamDidStop(willRestart: true)
            start(connection)
        }
        return true
    }

    /// Whether a new stream would have no more frames, or an output must not be interrupted: a gap
    /// is worse for it than a frame dropped when all outputs hold as many as they may.
    private func needsNoNewStream(for next: StreamPlan) -> Bool {
        next.bufferCount <= max(framesWanted, running.stream.frameCount ?? 0)
            || mustNotBeInterrupted(by: next)
    }

    private func mustNotBeInterrupted(by next: StreamPlan) -> Bool {
        outputs.contains { $0.mustNotBeInterrupted && next.connection(with: $0) != nil }
    }

    /// Connects the plan's displays to the stream, each by the first memory path that works.
    private mutating func showOnOthers(than former: StreamPlan, _ pool: FramePool) {
        let known = zip(former.previews, running.previewPaths)
        running.previewPaths = plan.previews.map { preview in
            if former.agreement.isSame(as: plan.agreement, for: preview.output),
                let (before, path) = known.first(where: { $0.0.output === preview.output }),
                before.connection.isLike(preview.connection), path != nil
            {
                return path
            }
            let target = preview.output.target
            guard target.isAvailable else { return nil }
            for memoryPath in running.laterMemoryPaths {
                if let path = try? running.stream.connect(pool, to: preview, by: memoryPath) {
                    return path
                }
            }
            target.suspend()
            return nil
        }
    }
}
