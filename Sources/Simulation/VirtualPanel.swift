// SPDX-License-Identifier: GPL-3.0-or-later

public import Controls
public import GPIO
public import Input
public import LinuxIO

/// A simulated board's panel: the chip `virtual`, which has every line that is asked for. Its buttons nobody touches
/// but ``ButtonBoard/press(name:gesture:)``; whether its lamps are lit, ``OutputLine`` knows. Other chips and all
/// keyboards are the kernel's.
public struct VirtualPanel: ControlHardware {
    /// What a configuration calls its chip.
    public static let chip = "virtual"
    private let kernel = LinuxControlHardware()

    /// Takes nothing yet.
    public init() {}

    /// Of the chip `virtual` a button; else as ``LinuxControlHardware``.
    public func openLine(
        chip: String, line: String, bias: LineBias, activeLow: Bool
    ) throws(SystemCallError) -> any ButtonSource {
        if chip == Self.chip { return try VirtualButton("\(chip):\(line)") }
        return try kernel.openLine(chip: chip, line: line, bias: bias, activeLow: activeLow)
    }

    /// The kernel's.
    public func keyDevices() throws(SystemCallError) -> [InputDescription] {
        try kernel.keyDevices()
    }

    /// The kernel's.
    public func openKeys(path: String) throws(SystemCallError) -> any ButtonSource {
        try kernel.openKeys(path: path)
    }

    /// Of the chip `virtual` a lamp; else as ``LinuxControlHardware``.
    public func openOutput(
        chip: String, line: String, activeLow: Bool
    ) throws(SystemCallError) -> sending any LampOutput {
        if chip == Self.chip { return VirtualLamp() }
        return try kernel.openOutput(chip: chip, line: line, activeLow: activeLow)
    }
}

private final class VirtualButton: ButtonSource {
    let name: String
    /// Never given.
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
