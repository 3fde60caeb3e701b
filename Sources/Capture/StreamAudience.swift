// SPDX-License-Identifier: GPL-3.0-or-later

internal import Media

/// Who gets a running stream's frames: changes while it runs, where that is no concern of the camera's; of displays,
/// while somebody is at work who must not be interrupted. Camera thread.
struct StreamAudience {
    private(set) var plan: StreamPlan
    /// Of the order that the plan came with.
    private(set) var generation: Int
    private(set) var running: RunningStream
    private(set) var outputs: [any CaptureOutput] = []
    /// Frames that camera and display were asked for. They may have had memory for fewer, and would again.
    private let framesWanted: Int

    /// Tells them that the stream has begun.
    init(_ plan: StreamPlan, _ generation: Int, of running: RunningStream) {
        (self.plan, self.generation, self.running) = (plan, generation, running)
        framesWanted = plan.bufferCount
        let connections = Self.connections(plan, running)
        outputs = connections.map(\.output)
        for connection in connections { start(connection) }
    }

    /// What the display cannot show it is not given.
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

    /// Goes over to another plan for the same stream: whoever is in both misses no frame. Displays that have come show the
    /// frames as they are where somebody is at work; else the stream is agreed anew, for them to be shown in the best way.
    ///
    /// - Parameter pool: of the stream's frames.
    /// - Returns: `false` where the stream must be agreed anew; nothing has changed then.
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
            // A display has been told already how it is to show them.
            if before.isLike(connection) || connection.output is PreviewOutput { continue }
            connection.output.streamDidStop(willRestart: true)
            start(connection)
        }
        return true
    }

    /// Whether a new stream would have no more frames, or somebody is at work for whom a gap would be worse than a
    /// frame that is dropped where all hold what they may.
    private func needsNoNewStream(for next: StreamPlan) -> Bool {
        next.bufferCount <= max(framesWanted, running.stream.frameCount ?? 0)
            || mustNotBeInterrupted(by: next)
    }

    private func mustNotBeInterrupted(by next: StreamPlan) -> Bool {
        outputs.contains { $0.mustNotBeInterrupted && next.connection(with: $0) != nil }
    }

    /// Has the plan's displays show the frames that come, in the first way that they can.
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
            for rung in running.laterRungs {
                if let path = try? running.stream.connect(pool, to: preview, by: rung) {
                    return path
                }
            }
            target.suspend()
            return nil
        }
    }
}
