// SPDX-License-Identifier: GPL-3.0-or-later

package import Capture
package import CommandProtocol
package import Health
internal import LinuxIO

extension CaptureError {
    package var problemCode: String {
        switch code {
        case .noDevice, .disconnected: "camera.missing"
        case .noSignal: "camera.nosignal"
        case .notPermitted: "camera.denied"
        case .busy: "camera.busy"
        case .unsupported, .invalidConfiguration: "camera.unsupported"
        case .stalled, .failed: "camera.stalled"
        }
    }

    /// The problem and its next step: the error's own, or a general one.
    package var explanation: Explanation {
        Explanation("\(self)\(holders.clause)", otherwise: nextStep)
    }

    private var nextStep: String {
        switch code {
        case .noDevice, .disconnected: "plug it in; see: vitrine devices"
        case .noSignal: "switch its source on, or look at the cable between them"
        case .notPermitted: "run as a member of group video"
        case .busy: "end the program that has it; see: fuser -v /dev/video*"
        case .unsupported, .invalidConfiguration:
            "compare [[camera]] with what it has: vitrine devices"
        case .stalled, .failed: "look at its plug and its power; see: vitrine doctor"
        }
    }
}

extension CommandError {
    /// Says why no photo can be taken.
    package init(_ error: CaptureError) {
        let problem = error.explanation
        self.init(
            error.problemCode, "no photo can be taken: \(problem.reason)",
            next: problem.next ?? "", exit: error.code == .notPermitted ? .notPermitted : .temporary
        )
    }
}
