// SPDX-License-Identifier: GPL-3.0-or-later

package import Health
internal import LinuxIO

actor Lamp {
    private let line: OutputLine
    private var pattern = LampPattern.off
    private var blinking: Task<Void, Never>?

    init(_ line: OutputLine) { self.line = line }

    func show(_ pattern: LampPattern) {
        if pattern == self.pattern { return }
        self.pattern = pattern
        blinking?.cancel()
        let start = Clock.monotonic
        line.set(pattern.state(at: 0).isLit)
        guard pattern.state(at: 0).changesAt != nil else { return }
        blinking = Task {
            while let change = pattern.state(at: Clock.monotonic - start).changesAt {
                let wait = start + change - Clock.monotonic
                try? await Task.sleep(for: .nanoseconds(max(0, wait)))
                if Task.isCancelled { return }
                line.set(pattern.state(at: Clock.monotonic - start).isLit)
            }
        }
    }

    /// Turns the lamp off for good.
    func stop() {
        blinking?.cancel()
        line.stop()
    }
}

/// The lamps of the kiosk's case: ready, recording and fault.
///
/// The ready lamp flashes instead of a missing fault lamp while no photos can be taken.
package actor Lamps {
    /// Signals on their way; only the newest of each counts.
    private nonisolated let readySignals = Signal()
    private nonisolated let recordingSignals = Signal()
    private let ready: Lamp?
    private let recording: Lamp?
    private let fault: Lamp?
    private var isReady = false
    private var problems = ProblemList()

    package init(ready: OutputLine?, recording: OutputLine?, fault: OutputLine?) {
        self.ready = ready.map(Lamp.init)
        self.recording = recording.map(Lamp.init)
        self.fault = fault.map(Lamp.init)
    }

    package func run() async {
        async let ready: Void = followReady()
        for await isRecording in recordingSignals.stream { await setRecording(isRecording) }
        await ready
    }

    private func followReady() async {
        for await isReady in readySignals.stream { await setReady(isReady) }
    }

    /// Sets soon whether a press is welcome. Any thread.
    package nonisolated func signalReady(_ isReady: Bool) { readySignals.send(isReady) }

    /// Sets soon whether a clip is being recorded. Any thread.
    package nonisolated func signalRecording(_ isRecording: Bool) {
        recordingSignals.send(isRecording)
    }

    package func setReady(_ isReady: Bool) async {
        self.isReady = isReady
        await update()
    }

    package func setRecording(_ isRecording: Bool) async {
        await recording?.show(isRecording ? .on : .off)
    }

    package func show(_ problems: ProblemList) async {
        self.problems = problems
        await update()
    }

    /// Turns all lamps off for good.
    package func stop() async {
        for lamp in [ready, recording, fault] { await lamp?.stop() }
    }

    // Each pattern is computed when it is shown, because something may have changed meanwhile.
    private func update() async {
        await fault?.show(Self.signal(problems) ?? .off)
        await ready?.show(readyPattern)
    }

    private var readyPattern: LampPattern {
        if isReady { return .on }
        let signals = fault == nil && problems.health == "failed"
        return signals ? Self.signal(problems) ?? .off : .off
    }

    private static let flashes = [
        ("camera.", 1), ("library.", 2), ("display.", 3), ("second_display.", 3), ("button.", 4),
        ("lamp.", 4),
    ]
    private static let otherFlashes = 5

    /// The pattern of the worst problem; of equally bad ones, the one with the fewest flashes.
    package static func signal(_ problems: ProblemList) -> LampPattern? {
        let worst = problems.all.map(\.severity).max()
        let counts = problems.all.filter { $0.severity == worst }.map { problem in
            flashes.first { problem.code.hasPrefix($0.0) }?.1 ?? otherFlashes
        }
        return counts.min().map { .flashes($0) }
    }
}

private struct Signal: Sendable {
    let stream: AsyncStream<Bool>
    private let input: AsyncStream<Bool>.Continuation

    init() { (stream, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func send(_ value: Bool) { input.yield(value) }
}
