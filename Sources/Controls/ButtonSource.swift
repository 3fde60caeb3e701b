// SPDX-License-Identifier: GPL-3.0-or-later

public import GPIO
public import Input
public import LinuxIO

/// One of a source's contacts: a key's number, or 0 for a GPIO line.
public struct Contact: Hashable, Sendable {
    /// The kernel's number of the key, or 0.
    public let number: UInt16
    /// The only contact of a source that has one.
    public static let only = Contact(number: 0)

    /// `number` is 0 only for a source with one contact.
    public init(number: UInt16) {
        self.number = number
    }
}

/// A raw change of a contact.
public struct ContactEdge: Sendable, Equatable {
    /// Which contact of the source.
    public let contact: Contact
    /// Whether it became active.
    public let isActive: Bool
    /// Nanoseconds of `CLOCK_MONOTONIC`.
    public let timestamp: Int64

    /// Of a line, unless `contact` is told; nothing is checked.
    public init(contact: Contact = .only, isActive: Bool, timestamp: Int64) {
        self.contact = contact
        self.isActive = isActive
        self.timestamp = timestamp
    }
}

/// Where edges come from: a GPIO line, an input device with its keys, or a panel. Open as long as it
/// lives; made, used and ended on the board's thread. Every method throws when the hardware has gone.
public protocol ButtonSource: AnyObject {
    /// What it is, for a person.
    var name: String { get }

    /// Adds itself to `poller`, readable when ``readEdges(_:)`` has something, error or hangup when
    /// the hardware has gone. Called once; the source leaves the poller when it ends.
    func watch(with poller: borrowing Poller, tag: UInt64) throws(SystemCallError)

    /// The contact's level. Edges that were read are in it; it may be ahead of those not yet read.
    func isActive(_ contact: Contact) throws(SystemCallError) -> Bool

    /// Gives every edge that waits to `body` in the order they came, and returns at once when there is
    /// none. After a flood edges may be missing; the levels are right.
    func readEdges(_ body: (ContactEdge) -> Void) throws(SystemCallError)
}

/// A GPIO output while it is ours; given back when its owner ends.
public protocol LampOutput: AnyObject {
    /// Throws when the hardware has gone.
    func setActive(_ active: Bool) throws(SystemCallError)
}

/// The buttons and lamps of a board: the kernel's, or simulated ones.
public protocol ControlHardware: Sendable {
    /// Opens a GPIO line as an input.
    ///
    /// - Throws: `ENOENT` when there is no such chip or line, `EBUSY` when it is taken, `EACCES`.
    func openLine(
        chip: String, line: String, bias: LineBias, activeLow: Bool
    ) throws(SystemCallError) -> any ButtonSource

    /// The input devices with keys that can be asked now.
    func keyDevices() throws(SystemCallError) -> [InputDescription]

    /// Opens an input device for this program alone.
    ///
    /// - Throws: `ENOENT`, `EBUSY` when it is taken, `EACCES`.
    func openKeys(path: String) throws(SystemCallError) -> any ButtonSource

    /// Opens a GPIO line as an output that is not active. Throws as
    /// ``openLine(chip:line:bias:activeLow:)``.
    func openOutput(
        chip: String, line: String, activeLow: Bool
    ) throws(SystemCallError) -> sending any LampOutput
}
