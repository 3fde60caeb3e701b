// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
package import Detection
internal import LinuxIO
internal import Media
package import Settings
internal import Synchronization

/// Searches the session's frames for motion and codes, and remembers the last of each.
package final class SceneWatcher: Sendable {
    /// The smallest share of the picture that counts as motion; less may be noise.
    private static let leastMotion = 0.02

    package let output: MetadataOutput
    private let seen: Seen

    private final class Seen: Sendable {
        let last = Mutex<(motion: Motion?, code: Code?)>((nil, nil))
    }
    private struct Motion {
        let score: Double
        let time: Int64
    }
    private struct Code {
        let symbology: String
        let text: String
        let time: Int64
    }

    /// `moved` is called on the output's thread. Throws if configured codes cannot be read.
    package init(_ settings: DetectionSettings, moved: @escaping @Sendable () -> Void) throws {
        var kinds: Set<MetadataObject.Kind> = []
        if settings.wakesOnMotion { kinds.insert(.motion) }
        if settings.readsCodes { kinds.insert(.machineReadableCode) }
        let seen = Seen()
        self.seen = seen
        output = try MetadataOutput(kinds, interval: Int64(settings.intervalSeconds * 1e9)) {
            objects, time in
            for object in objects {
                switch object {
                case .motion(let score, _):
                    guard score >= Self.leastMotion else { continue }
                    seen.last.withLock { $0.motion = Motion(score: score, time: time) }
                    moved()
                case .machineReadableCode(let symbology, let text, _):
                    seen.last.withLock {
                        $0.code = Code(symbology: symbology, text: text, time: time)
                    }
                }
            }
        }
    }

    package var status: StatusReport.Detection {
        var report = StatusReport.Detection()
        report.framesExamined = output.framesExamined
        report.framesDropped = [
            "late": output.framesDropped, "undecodable": output.framesUnreadable,
        ]
        let now = Clock.monotonic
        func seconds(since time: Int64) -> Double { Double((now - time) / 1_000_000) / 1000 }
        let (motion, code) = seen.last.withLock { $0 }
        report.motion = motion.map {
            StatusReport.Detection.Motion(score: $0.score, secondsAgo: seconds(since: $0.time))
        }
        report.code = code.map {
            StatusReport.Detection.Code(
                symbology: $0.symbology, text: $0.text, secondsAgo: seconds(since: $0.time))
        }
        return report
    }
}
