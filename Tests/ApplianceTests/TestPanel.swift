// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import GPIO
import Glibc
import Input
import LinuxIO
import Simulation
import Synchronization

/// A virtual panel whose buttons a test presses. It records the states of its lamps, and their
/// lines may be in use at first.
final class TestPanel: ControlHardware {
    private struct Shared {
        var refusals: Int
        var states: [(line: String, isLit: Bool)] = []
        /// The open buttons, by their lines.
        var buttons: [String: Button] = [:]
    }
    private let shared: Mutex<Shared>
    private let panel = VirtualPanel()

    /// Creates a panel.
    ///
    /// - Parameter refusals: How many times opening a lamp's line finds it in use.
    init(refusals: Int = 0) { shared = Mutex(Shared(refusals: refusals)) }

    /// The states that lamps were set to, in order.
    var states: [Bool] { shared.withLock { $0.states.map(\.isLit) } }
    /// Returns the states that the lamp of one line was set to, in order.
    func states(of line: String) -> [Bool] {
        shared.withLock { $0.states.filter { $0.line == line }.map(\.isLit) }
    }

    /// Presses or releases a button, if it is open.
    func set(_ line: String, isPressed: Bool) {
        shared.withLock { $0.buttons[line] }?.set(isPressed)
    }

    func openLine(
        chip: String, line: String, bias: LineBias, activeLow: Bool
    ) throws(SystemCallError) -> any ButtonSource {
        guard chip == VirtualPanel.chip else {
            return try panel.openLine(chip: chip, line: line, bias: bias, activeLow: activeLow)
        }
        let button = try Button("\(chip):\(line)")
        shared.withLock { $0.buttons[line] = button }
        return button
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

    /// A button that a test may move on any thread.
    private final class Button: ButtonSource, Sendable {
        private struct State {
            var isPressed = false
            var edges: [ContactEdge] = []
        }
        let name: String
        private let wake: WakeSignal
        private let state = Mutex(State())

        init(_ name: String) throws(SystemCallError) {
            self.name = name
            wake = try WakeSignal()
        }

        func set(_ isPressed: Bool) {
            state.withLock { state in
                state.isPressed = isPressed
                state.edges.append(
                    ContactEdge(isActive: isPressed, timestamp: Clock.monotonic))
            }
            wake.signal()
        }

        func watch(with poller: borrowing Poller, tag: UInt64) throws(SystemCallError) {
            try poller.add(wake, tag: tag)
        }

        func isActive(_ contact: Contact) -> Bool { state.withLock { $0.isPressed } }

        func readEdges(_ body: (ContactEdge) -> Void) {
            let edges = state.withLock { state in
                defer { state.edges = [] }
                return state.edges
            }
            for edge in edges { body(edge) }
        }
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
