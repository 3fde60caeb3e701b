// SPDX-License-Identifier: GPL-3.0-or-later

public import Controls
public import GPIO
public import Input
public import LinuxIO

/// The panel of a simulated board: the chip `virtual`, which has every line. Only
/// ``ButtonBoard/press(name:gesture:)`` presses its buttons; ``OutputLine`` knows the state of its
/// lamps. Other chips and all keyboards are the kernel's.
public struct VirtualPanel: ControlHardware {
    /// The chip's name in a configuration.
    public static let chip = "virtual"
    private let kernel = LinuxControlHardware()

    /// Creates a panel; no line is open yet.
    public init() {}

    /// Opens a button of the chip `virtual`, or a line as ``LinuxControlHardware`` does.
    public func openLine(
        chip: String, line: String, bias: LineBias, activeLow: Bool
    ) throws(SystemCallError) -> any ButtonSource {
        if chip == Self.chip { return try VirtualButton("\(chip):\(line)") }
        return try kernel.openLine(chip: chip, line: line, bias: bias, activeLow: activeLow)
    }

    /// Returns the kernel's key devices.
    public func keyDevices() throws(SystemCallError) -> [InputDescription] {
        try kernel.keyDevices()
    }

    /// Opens a key device of the kernel.
    public func openKeys(path: String) throws(SystemCallError) -> any ButtonSource {
        try kernel.openKeys(path: path)
    }

    /// Opens a lamp of the chip `virtual`, or an output as ``LinuxControlHardware`` does.
    public func openOutput(
        chip: String, line: String, activeLow: Bool
    ) throws(SystemCallError) -> sending any LampOutput {
        if chip == Self.chip { return VirtualLamp() }
        return try kernel.openOutput(chip: chip, line: line, activeLow: activeLow)
    }
}

private final class VirtualButton: ButtonSource {
    let name: String
    /// A signal that is never sent.
    private let edge: WakeSignal

    init(_ name: String) throws(SystemCallError) {
        self.name = name
        edge = try WakeSignal()
    }

    func watch(with poller: borrowing Poller, tag: UInt64) throws(SystemCallError) {
        try poller.add(edge, tag: tag)
    }

    func isActive(_ contact: Contact) -> Bool { false }
    func readEdges(_ body: (ContactEdge) -> Void) {}
}

private final class VirtualLamp: LampOutput {
    func setActive(_ active: Bool) {}
}
