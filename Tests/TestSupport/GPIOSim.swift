// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxIO

/// A chip of the kernel's gpio-sim driver. It is removed when its owner ends.
///
/// Kernel documentation: admin-guide/gpio/gpio-sim.
public final class GPIOSim {
    /// The chip's label, by which a configuration names its lines.
    public let label: String
    private let folder: String
    /// Whether the chip is plugged in.
    public private(set) var isPlugged = false

    /// Creates a chip and plugs it in.
    ///
    /// - Parameter names: The lines' names, by number; "" for a line without one.
    public init(_ label: String, names: [String]) throws {
        self.label = label
        folder = "/sys/kernel/config/gpio-sim/\(label)"
        try makeFolder(folder)
        try makeFolder("\(folder)/bank")
        try write("\(names.count)", to: "\(folder)/bank/num_lines")
        try write(label, to: "\(folder)/bank/label")
        for (offset, name) in names.enumerated() where !name.isEmpty {
            try makeFolder("\(folder)/bank/line\(offset)")
            try write(name, to: "\(folder)/bank/line\(offset)/name")
        }
        try plug()
    }

    deinit {
        unplug()
        for offset in 0..<64 { _ = unsafe rmdir("\(folder)/bank/line\(offset)") }
        _ = unsafe rmdir("\(folder)/bank")
        _ = unsafe rmdir(folder)
    }

    /// The kernel's name of the chip, `gpiochipN`.
    public var name: String {
        get throws { try read("\(folder)/bank/chip_name") }
    }

    /// Plugs the chip in.
    public func plug() throws {
        try write("1", to: "\(folder)/live")
        isPlugged = true
    }

    /// Unplugs the chip.
    public func unplug() {
        try? write("0", to: "\(folder)/live")
        isPlugged = false
    }

    /// Sets the voltage of an input, as a wire would.
    public func drive(_ offset: Int, high: Bool) throws {
        try write(high ? "pull-up" : "pull-down", to: "\(lineFolder(offset))/pull")
    }

    /// Returns whether the voltage of a line is high.
    public func isHigh(_ offset: Int) throws -> Bool {
        try read("\(lineFolder(offset))/value") == "1"
    }

    private func lineFolder(_ offset: Int) throws -> String {
        let device = try read("\(folder)/dev_name")
        return "/sys/devices/platform/\(device)/\(try name)/sim_gpio\(offset)"
    }
}

private func makeFolder(_ path: String) throws {
    try systemCall("mkdir", path) { unsafe mkdir(path, 0o755) }
}

private func write(_ text: String, to path: String) throws {
    let file = try OwnedDescriptor(open: path, flags: O_WRONLY)
    let number = file.number
    var text = text
    try systemCall("write", path) {
        text.withUTF8 { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
    }
}

private func read(_ path: String) throws -> String {
    try readSmallFile(path).filter { $0 != "\n" }
}
