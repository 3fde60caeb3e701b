// SPDX-License-Identifier: GPL-3.0-or-later

package import Controls
package import Health
internal import LinuxIO

/// A lamp with a pattern.
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

    /// It goes out, for good.
    func stop() {
        blinking?.cancel()
        line.stop()
    }
}

/// The lamps of the kiosk's case: ready, recording and fault.
///
/// Where there is no fault lamp the ready lamp flashes in its place while no photos can be taken.
package actor Lamps {
    private let ready: Lamp?
    private let recording: Lamp?
    private let fault: Lamp?
    private var isReady = false
    private var problems = ProblemList()

    /// Those that the configuration has; dark.
    package init(ready: OutputLine?, recording: OutputLine?, fault: OutputLine?) {
        self.ready = ready.map(Lamp.init)
        self.recording = recording.map(Lamp.init)
        self.fault = fault.map(Lamp.init)
    }

    /// Whether a press is welcome.
    package func setReady(_ isReady: Bool) async {
        self.isReady = isReady
        await update()
    }

    /// Whether a clip is being recorded.
    package func setRecording(_ isRecording: Bool) async {
        await recording?.show(isRecording ? .on : .off)
    }

    /// What is wrong now.
    package func show(_ problems: ProblemList) async {
        self.problems = problems
        await update()
    }

    /// All lamps go out, for good.
    package func stop() async {
        for lamp in [ready, recording, fault] { await lamp?.stop() }
    }

    // Each pattern is worked out when it is shown: meanwhile something may have changed.
    private func update() async {
        await fault?.show(Self.signal(problems) ?? .off)
        await ready?.show(readyPattern)
    }

    private var readyPattern: LampPattern {
        if isReady { return .on }
        let signals = fault == nil && problems.health == "failed"
        return signals ? Self.signal(problems) ?? .off : .off
    }

    /// So many flashes: what is wrong.
    private static let flashes = [
        ("camera.", 1), ("library.", 2), ("display.", 3), ("second_display.", 3), ("button.", 4),
        ("lamp.", 4),
    ]
    private static let otherFlashes = 5

    /// The pattern of the worst problem; of equally bad ones, that of the fewest flashes.
    package static func signal(_ problems: ProblemList) -> LampPattern? {
        let worst = problems.all.map(\.severity).max()
        let counts = problems.all.filter { $0.severity == worst }.map { problem in
            flashes.first { problem.code.hasPrefix($0.0) }?.1 ?? otherFlashes
        }
        return counts.min().map { .flashes($0) }
    }
}
