// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import GPIO
import Glibc
import Input
import LinuxIO
import Simulation
import Synchronization

/// A virtual panel that knows what its lamps were set to, and whose lines may be somebody else's at first.
final class TestPanel: ControlHardware {
    private struct Shared {
        var refusals: Int
        var states: [(line: String, isLit: Bool)] = []
    }
    private let shared: Mutex<Shared>
    private let panel = VirtualPanel()

    /// - Parameter refusals: So many times a lamp's line is in use.
    init(refusals: Int = 0) { shared = Mutex(Shared(refusals: refusals)) }

    /// Whether a lamp was lit, each time that one was set.
    var states: [Bool] { shared.withLock { $0.states.map(\.isLit) } }
    /// The same of one line.
    func states(of line: String) -> [Bool] {
        shared.withLock { $0.states.filter { $0.line == line }.map(\.isLit) }
    }

    func openLine(
        chip: String, line: String, bias: LineBias, activeLow: Bool
    ) throws(SystemCallError) -> any ButtonSource {
        try panel.openLine(chip: chip, line: line, bias: bias, activeLow: activeLow)
    }

    func keyDevices() throws(SystemCallError) -> [InputDescription] { try panel.keyDevices() }

    func openKeys(path: String) throws(SystemCallError) -> any ButtonSource {
        try panel.openKeys(path: path)
    }

    func openOutput(
        chip: String, line: String, activeLow: Bool
    ) throws(SystemCallError) -> sending any LampOutput {
        let isTaken = shared.withLock { shared in
            shared.refusals -= 1
            return shared.refusals >= 0
        }
        if isTaken { throw SystemCallError(call: "ioctl", code: EBUSY, path: "\(chip):\(line)") }
        return Lamp(self, line)
    }

    private final class Lamp: LampOutput {
        private let panel: TestPanel
        private let line: String

        init(_ panel: TestPanel, _ line: String) { (self.panel, self.line) = (panel, line) }

        func setActive(_ active: Bool) {
            panel.shared.withLock { $0.states.append((line, active)) }
        }
    }
}
