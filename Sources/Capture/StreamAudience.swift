// SPDX-License-Identifier: GPL-3.0-or-later

/// Who gets a running stream's frames: changes while it runs, where that is no concern of the camera's or the
/// display's. Camera thread.
struct StreamAudience {
    private(set) var plan: StreamPlan
    /// Of the order that the plan came with.
    private(set) var generation: Int
    let running: RunningStream
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

    /// Goes over to another plan for the same stream: whoever is in both misses no frame.
    ///
    /// - Returns: `false` where the stream must be agreed anew; nothing has changed then.
    mutating func adopt(_ next: StreamPlan, _ generation: Int) -> Bool {
        guard next.isForSameStream(as: plan), needsNoNewStream(for: next) else { return false }
        let former = plan
        (plan, self.generation) = (next, generation)
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
            if before.isLike(connection) { continue }
            connection.output.streamDidStop(willRestart: true)
            start(connection)
        }
        return true
    }

    /// Whether a new stream would have no more frames, or somebody is at work for whom a gap would be worse than a
    /// frame that is dropped where all hold what they may.
    private func needsNoNewStream(for next: StreamPlan) -> Bool {
        next.bufferCount <= max(framesWanted, running.stream.frameCount ?? 0)
            || outputs.contains { $0.mustNotBeInterrupted && next.connection(with: $0) != nil }
    }
}
