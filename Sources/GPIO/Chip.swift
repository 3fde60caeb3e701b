// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGPIO
internal import Glibc
public import LinuxIO

/// A GPIO controller as it was when queried; nothing stays open. Kernel documentation:
/// userspace-api/gpio/chardev.
public struct Chip: Sendable, Equatable {
    /// The device file, for example `/dev/gpiochip0`.
    public let path: String
    /// The kernel's name, which may change between boots: `gpiochip0`.
    public let name: String
    /// The driver's name, which does not change: `pinctrl-bcm2711`.
    public let label: String
    /// The number of lines, which are numbered from 0.
    public let lineCount: Int

    /// One line of a chip as it was when queried.
    public struct Line: Sendable, Equatable {
        /// The line's number on the chip.
        public let offset: Int
        /// The line's name in the device tree or firmware; empty if it has none.
        public let name: String
        /// The line's user; empty if it has none or the kernel does not say.
        public let consumer: String
        /// Whether a program or the kernel uses the line.
        public let isUsed: Bool
    }

    /// Queries a chip (`GPIO_GET_CHIPINFO_IOCTL`). Throws `ENOTTY` or `ENODEV` if it is none.
    public init(path: String) throws(SystemCallError) {
        let chip = try OpenChip(path)
        var info = cgpio_chip_info()
        try systemCall("GPIO_GET_CHIPINFO_IOCTL", path) { unsafe cgpio_chip_info(chip.chip, &info) }
        self.path = path
        name = text(info.name)
        label = text(info.label)
        lineCount = Int(info.lines)
    }

    /// Returns the device files of all chips, readable or not, ordered by number.
    public static func paths() throws(SystemCallError) -> [String] {
        let prefix = "gpiochip"
        let names = try FileTree.names(in: "/dev")
        let numbers = names.filter { $0.hasPrefix(prefix) }.compactMap {
            Int($0.dropFirst(prefix.count))
        }
        return numbers.sorted().map { "/dev/\(prefix)\($0)" }
    }

    /// Returns all chips that can be opened, ordered by number. Throws `EACCES` if rights are
    /// missing and no chip can be opened.
    public static func all() throws(SystemCallError) -> [Chip] {
        let (chips, refusal) = try readable()
        if chips.isEmpty, let refusal { throw refusal }
        return chips
    }

    /// Returns the chips that can be opened, and the first error caused by missing rights.
    private static func readable() throws(SystemCallError) -> ([Chip], SystemCallError?) {
        var chips: [Chip] = []
        var refusal: SystemCallError?
        for path in try paths() {
            do throws(SystemCallError) {
                chips.append(try Chip(path: path))
            } catch {
                if error.isPermission { refusal = refusal ?? error }
            }
        }
        return (chips, refusal)
    }

    /// Returns the first chip with this label, or else with this kernel name or device file. Throws
    /// `ENOENT` with the existing chips; `EACCES` if it may be a chip that cannot be opened.
    public static func find(_ wanted: String) throws(SystemCallError) -> Chip {
        let (chips, refusal) = try readable()
        let found =
            chips.first { $0.label == wanted }
            ?? chips.first { $0.name == wanted || $0.path == wanted }
        if let found { return found }
        if let refusal { throw refusal }
        let known = chips.map { "\($0.label) (\($0.name))" }.joined(separator: ", ")
        throw SystemCallError(
            call: "find GPIO chip", code: ENOENT,
            path: known.isEmpty ? "\(wanted), there is none" : "\(wanted), there are \(known)")
    }

    /// Returns all lines, ordered by number. Corresponds to `GPIO_GET_LINEINFO_IOCTL`.
    public func lines() throws(SystemCallError) -> [Line] {
        let chip = try OpenChip(path)
        var lines: [Line] = []
        for offset in 0..<lineCount {
            var info = cgpio_line_info()
            try systemCall("GPIO_GET_LINEINFO_IOCTL", "\(label):\(offset)") {
                unsafe cgpio_line_info(chip.chip, UInt32(offset), &info)
            }
            lines.append(
                Line(
                    offset: offset, name: text(info.name), consumer: text(info.consumer),
                    isUsed: info.used != 0))
        }
        return lines
    }

    /// Returns the line with this name, or else number; throws `ENOENT` with the existing names.
    public func line(_ wanted: String) throws(SystemCallError) -> Line {
        let lines = try self.lines()
        if let named = lines.first(where: { $0.name == wanted && !wanted.isEmpty }) { return named }
        if let offset = Int(wanted), lines.indices.contains(offset) { return lines[offset] }
        let names = lines.map(\.name).filter { !$0.isEmpty }
        let numbers = lines.isEmpty ? "no lines" : "0 to \(lineCount - 1)"
        throw SystemCallError(
            call: "find GPIO line", code: ENOENT,
            path: "\(label):\(wanted), there are "
                + (names.isEmpty ? numbers : "\(numbers) and \(names.joined(separator: ", "))"))
    }
}

@safe
struct OpenChip: ~Copyable {
    let chip: OpaquePointer

    init(_ path: String) throws(SystemCallError) {
        guard let chip = unsafe cgpio_open(path) else {
            throw SystemCallError(call: "open", code: errno, path: path)
        }
        unsafe self.chip = chip
    }

    deinit {
        unsafe cgpio_close(chip)
    }
}
