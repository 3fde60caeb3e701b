// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGPIO
internal import Glibc
public import LinuxIO

/// The pull resistor of an input line. Drivers without one ignore it.
public enum LineBias: String, Sendable, CaseIterable {
    /// The state that the firmware left.
    case asIs
    /// A resistor to the supply.
    case pullUp
    /// A resistor to ground.
    case pullDown
    /// No resistor.
    case disabled
}

/// A change of an input line's logical level.
public struct LineEdge: Sendable, Equatable {
    /// Whether the line became active.
    public let isActive: Bool
    /// The time of the kernel's interrupt, in nanoseconds of `CLOCK_MONOTONIC`.
    public let timestamp: Int64
}

/// One line that this program uses; released when the owner ends. One thread at a time may use it.
/// Every error names `CHIP:LINE`. Kernel documentation: userspace-api/gpio/chardev.
@safe
public final class LineRequest {
    /// The requested `CHIP:LINE`.
    public let name: String
    /// The chip's device file at the time of the request.
    public let chipPath: String
    /// The descriptor of an input: readable when edges can be read, `error` or `hangup` when the
    /// chip has gone. Outputs have -1.
    public var number: CInt { unsafe request.fd }

    private var request: cgpio_request

    /// Requests a line as an input that reports both edges. The `line` is a name or number on
    /// `chip`, which is a label, name or device file; gpioinfo(1) shows `consumer` as the line's
    /// user. If `activeLow`, the line is active while its voltage is low. Throws the errors of
    /// ``Chip/find(_:)`` and ``Chip/line(_:)``; `EBUSY` with the line's user. Corresponds to
    /// `GPIO_V2_GET_LINE_IOCTL` (`GPIO_GET_LINEEVENT_IOCTL` with libgpiod 1).
    public convenience init(
        input line: String, of chip: String, consumer: String, bias: LineBias, activeLow: Bool
    ) throws(SystemCallError) {
        let bias =
            switch bias {
            case .asIs: cgpio_bias_as_is
            case .pullUp: cgpio_bias_pull_up
            case .pullDown: cgpio_bias_pull_down
            case .disabled: cgpio_bias_disabled
            }
        try unsafe self.init(line, of: chip) { path, offset, request in
            unsafe cgpio_request_input(
                path, offset, consumer, CInt(bias.rawValue), activeLow ? 1 : 0, &request)
        }
    }

    /// Requests a line as an output with the initial level `active`. The driver decides the level
    /// after the line's release, so set the wanted one before. Throws the errors of
    /// ``init(input:of:consumer:bias:activeLow:)``. Corresponds to `GPIO_V2_GET_LINE_IOCTL`
    /// (`GPIO_GET_LINEHANDLE_IOCTL` with libgpiod 1).
    public convenience init(
        output line: String, of chip: String, consumer: String, activeLow: Bool,
        active: Bool = false
    ) throws(SystemCallError) {
        try unsafe self.init(line, of: chip) { path, offset, request in
            unsafe cgpio_request_output(
                path, offset, consumer, activeLow ? 1 : 0, active ? 1 : 0, &request)
        }
    }

    private init(
        _ line: String, of chip: String,
        _ body: (String, UInt32, inout cgpio_request) -> CInt
    ) throws(SystemCallError) {
        let found = try Chip.find(chip)
        let info = try found.line(line)
        name = "\(chip):\(line)"
        chipPath = found.path
        var opened = unsafe cgpio_request()
        // The device file is opened again here. If the chip has come back under another number
        // meanwhile, it is not searched for again: the request fails.
        guard unsafe body(found.path, UInt32(info.offset), &opened) >= 0 else {
            let code = errno
            let user = info.consumer.isEmpty ? "" : ", used by \"\(info.consumer)\""
            throw SystemCallError(
                call: "request GPIO line", code: code, path: "\(chip):\(line)\(user)")
        }
        // Assigned last: if the initializer threw after this, deinit would run.
        unsafe request = opened
    }

    deinit {
        unsafe cgpio_release(&request)
    }

    /// Returns the current logical level. Corresponds to `GPIO_V2_LINE_GET_VALUES_IOCTL`.
    public func isActive() throws(SystemCallError) -> Bool {
        try systemCall("GPIO_V2_LINE_GET_VALUES_IOCTL", name) {
            unsafe cgpio_get_value(&request)
        } != 0
    }

    /// Sets an output's logical level. Corresponds to `GPIO_V2_LINE_SET_VALUES_IOCTL`.
    public func setActive(_ active: Bool) throws(SystemCallError) {
        try systemCall("GPIO_V2_LINE_SET_VALUES_IOCTL", name) {
            unsafe cgpio_set_value(&request, active ? 1 : 0)
        }
    }

    /// Passes all waiting edges to `body`, oldest first, and returns at once. The kernel's buffer
    /// is small (16 edges with libgpiod 1): after a flood the last edges may be missing. Throws
    /// `ENODEV` when the chip has gone.
    public func readEdges(_ body: (LineEdge) -> Void) throws(SystemCallError) {
        var batch = [cgpio_edge](repeating: cgpio_edge(), count: Int(cgpio_batch))
        while true {
            let count: CInt
            do throws(SystemCallError) {
                count = try systemCall("read", name) {
                    unsafe batch.withUnsafeMutableBufferPointer {
                        unsafe cgpio_read_edges(&request, $0.baseAddress)
                    }
                }
            } catch {
                if error.code == EAGAIN { return }
                throw error
            }
            for edge in batch[..<Int(count)] {
                body(LineEdge(isActive: edge.rising != 0, timestamp: edge.timestamp_ns))
            }
            if count < cgpio_batch { return }
        }
    }
}
