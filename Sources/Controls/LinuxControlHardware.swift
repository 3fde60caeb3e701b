// SPDX-License-Identifier: GPL-3.0-or-later

public import GPIO
public import Input
public import LinuxIO

/// The kernel's GPIO lines and input devices.
public struct LinuxControlHardware: ControlHardware {
    private let consumer: String

    /// Creates the hardware. gpioinfo(1) shows `consumer` as the user of its lines.
    public init(consumer: String = "vitrine") {
        self.consumer = consumer
    }

    /// Requests the line with both edges, until the source ends. `EBUSY` names the line's user.
    public func openLine(
        chip: String, line: String, bias: LineBias, activeLow: Bool
    ) throws(SystemCallError) -> any ButtonSource {
        LineSource(
            try LineRequest(
                input: line, of: chip, consumer: consumer, bias: bias, activeLow: activeLow))
    }

    /// Queries each device again; throws `EACCES` if rights are missing and no device can be
    /// opened.
    public func keyDevices() throws(SystemCallError) -> [InputDescription] {
        try InputDescription.all()
    }

    /// Grabs the device (`EVIOCGRAB`) until the source ends; throws `EBUSY` if it is taken.
    public func openKeys(path: String) throws(SystemCallError) -> any ButtonSource {
        KeySource(try KeyDevice(path: path))
    }

    /// Requests the line, inactive, until the output ends; throws as an input does.
    public func openOutput(
        chip: String, line: String, activeLow: Bool
    ) throws(SystemCallError) -> sending any LampOutput {
        LineOutput(
            try LineRequest(output: line, of: chip, consumer: consumer, activeLow: activeLow))
    }
}

private final class LineSource: ButtonSource {
    private let request: LineRequest
    var name: String { request.name }

    init(_ request: LineRequest) {
        self.request = request
    }

    func watch(with poller: borrowing Poller, tag: UInt64) throws(SystemCallError) {
        try poller.add(request.number, tag: tag)
    }

    func isActive(_ contact: Contact) throws(SystemCallError) -> Bool {
        try request.isActive()
    }

    func readEdges(_ body: (ContactEdge) -> Void) throws(SystemCallError) {
        try request.readEdges {
            body(ContactEdge(isActive: $0.isActive, timestamp: $0.timestamp))
        }
    }
}

private final class KeySource: ButtonSource {
    private let device: KeyDevice
    var name: String { device.description.name }

    init(_ device: KeyDevice) {
        self.device = device
    }

    func watch(with poller: borrowing Poller, tag: UInt64) throws(SystemCallError) {
        try poller.add(device.number, tag: tag)
    }

    func isActive(_ contact: Contact) throws(SystemCallError) -> Bool {
        KeyCode(number: Int(contact.number)).map(device.isDown) ?? false
    }

    func readEdges(_ body: (ContactEdge) -> Void) throws(SystemCallError) {
        try device.readEvents {
            guard $0.phase != .again else { return }
            body(
                ContactEdge(
                    contact: Contact(number: $0.key.number), isActive: $0.phase == .down,
                    timestamp: $0.timestamp))
        }
    }
}

private final class LineOutput: LampOutput {
    private let request: LineRequest

    init(_ request: LineRequest) {
        self.request = request
    }

    func setActive(_ active: Bool) throws(SystemCallError) {
        try request.setActive(active)
    }
}
