// SPDX-License-Identifier: GPL-3.0-or-later

package import Capture
package import Controls
package import Health
internal import LinuxIO
package import Recording
internal import Synchronization

/// Collects every problem that is known now: those on the board of problems, and those that the
/// parts know by themselves. Any thread.
package final class ProblemCollector: Sendable {
    private let problems: ProblemBoard
    private let buttons: ButtonBoard
    private let outputs: [OutputLine]
    private let microphone: Microphone?
    private let movies: MovieFileOutput
    private let unknownNames: [String]
    private let found = Mutex(Found())

    private struct Found {
        var sensors: [BoardSensors.Finding] = []
        var missingMicrophone: String?
        var lateSync: String?
    }

    /// `outputs` are the lamps and the flash; `unknownNames` are those of `[access]` that do not
    /// exist.
    package init(
        _ problems: ProblemBoard, buttons: ButtonBoard, outputs: [OutputLine],
        microphone: Microphone?, movies: MovieFileOutput, unknownNames: [String]
    ) {
        self.problems = problems
        self.buttons = buttons
        self.outputs = outputs
        self.microphone = microphone
        self.movies = movies
        self.unknownNames = unknownNames
    }

    /// Says that the configured microphone is missing; `nil` if it is there.
    package var missingMicrophone: String? {
        get { found.withLock(\.missingMicrophone) }
        set { found.withLock { $0.missingMicrophone = newValue } }
    }

    /// Says what has waited too long for a copy at the remote; `nil` if nothing has.
    package var lateSync: String? {
        get { found.withLock(\.lateSync) }
        set { found.withLock { $0.lateSync = newValue } }
    }

    package func setSensors(_ findings: [BoardSensors.Finding]) {
        found.withLock { $0.sensors = findings }
    }

    package var current: ProblemList {
        var all = problems.current
        for button in buttons.statistics where !button.problem.isEmpty {
            all.add(
                "button.\(button.state.rawValue)", "button \(button.name): \(button.problem)",
                .degraded)
        }
        if !unknownNames.isEmpty {
            all.raise(
                "access.unknown",
                "[access]: this machine has no \(unknownNames.joined(separator: ", "))"
                    + "; next: make that user or group, or take it out of the configuration",
                .degraded)
        }
        let found = found.withLock(\.self)
        for finding in found.sensors { all.raise(finding.code, finding.message, .degraded) }
        if let problem = microphone?.status.problem ?? found.missingMicrophone {
            all.raise(
                "microphone.missing",
                "microphone: \(problem); next: plug it in, or end the program that has it, "
                    + "or see: vitrine devices", .degraded)
        }
        if let problem = found.lateSync {
            all.raise("sync.late", "\(problem); next: see why: vitrine sync status", .degraded)
        }
        if let problem = movies.encoderProblem {
            all.raise(
                "recording.encoder",
                "clips cannot be recorded: \(problem); next: see what could compress them: "
                    + "vitrine doctor", .degraded)
        }
        for output in outputs where output.state == .missing {
            all.add("lamp.missing", "lamp \(output.name): \(output.problem)", .degraded)
        }
        return all
    }

    /// The codes of problems that prevent no photo but look odd to guests: a missing video, and no
    /// working button among `shutters`.
    package func oddities(shutters: Set<String>) -> Set<String> {
        var codes = Set(["display.degraded"].filter(problems.contains))
        let used = buttons.statistics.filter { shutters.contains($0.name) }
        if let first = used.first, used.allSatisfy({ !$0.problem.isEmpty }) {
            codes.insert("button.\(first.state.rawValue)")
        }
        return codes
    }
}
