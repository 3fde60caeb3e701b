// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Synchronization

/// A lamp or light at a GPIO line: the ready lamp, the flash. If its hardware is missing or goes
/// away, the last setting is applied when it is there again. The line is off after its owner ends.
/// Any thread may use it; each method makes at most a few system calls.
public final class OutputLine: Sendable {
    /// Whether the hardware is there.
    public enum State: String, Sendable {
        case ready, missing
    }

    /// The line's purpose, for example `ready`.
    public let name: String
    private let hardware: any ControlHardware
    private let chip: String
    private let line: String
    private let activeLow: Bool
    private let shared = Mutex(Shared())

    private struct Shared {
        var isOn = false
        var litSince: Int64?
        var isStopped = false
        var output: (any LampOutput)?
        var problem = ""
    }

    /// Opens the line if it is there. `chip` is a label, name or device file, `line` a name or
    /// number; if `activeLow`, the lamp is lit while its line is low.
    public init(
        name: String, chip: String, line: String, activeLow: Bool = false,
        hardware: any ControlHardware = LinuxControlHardware()
    ) {
        self.name = name
        self.chip = chip
        self.line = line
        self.activeLow = activeLow
        self.hardware = hardware
        rescan()
    }

    deinit {
        stop()
    }

    /// Whether the hardware was there when last used.
    public var state: State {
        shared.withLock { $0.output == nil ? .missing : .ready }
    }

    /// The reason why the hardware is missing, and what to do; empty while it is there.
    public var problem: String {
        shared.withLock { $0.problem }
    }

    /// When the lamp went on, in nanoseconds of `CLOCK_MONOTONIC`; `nil` while it is dark.
    public var litSince: Int64? {
        shared.withLock { $0.litSince }
    }

    /// Turns the lamp on or off; if the hardware is missing, ``rescan()`` does so later.
    public func set(_ on: Bool) {
        shared.withLock { shared in
            shared.isOn = on
            if shared.output != nil { apply(&shared) }
        }
    }

    /// Checks for missing hardware, and whether the present hardware is still there. Call this
    /// every few seconds: nothing reports that a line is free again.
    public func rescan() {
        shared.withLock { shared in
            if shared.output != nil { apply(&shared) }
            if shared.output == nil { open(&shared) }
        }
    }

    /// Turns the lamp off and releases the line for good.
    public func stop() {
        shared.withLock { shared in
            shared.isOn = false
            shared.isStopped = true
            if shared.output != nil { apply(&shared) }
            shared.output = nil
        }
    }

    private func apply(_ shared: inout Shared) {
        do throws(SystemCallError) {
            try shared.output?.setActive(shared.isOn)
            shared.litSince = shared.isOn ? shared.litSince ?? Clock.monotonic : nil
        } catch {
            shared.output = nil
            shared.litSince = nil
            shared.problem = advice(error)
        }
    }

    private func open(_ shared: inout Shared) {
        guard !shared.isStopped else { return }
        do throws(SystemCallError) {
            shared.output = try hardware.openOutput(chip: chip, line: line, activeLow: activeLow)
            shared.problem = ""
            if shared.isOn { apply(&shared) }
        } catch {
            shared.problem = advice(error)
        }
    }
}
