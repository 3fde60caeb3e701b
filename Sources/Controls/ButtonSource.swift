// SPDX-License-Identifier: GPL-3.0-or-later

public import GPIO
public import Input
public import LinuxIO

/// One contact of a source: a key's number, or 0 for a GPIO line.
public struct Contact: Hashable, Sendable {
    /// The kernel's number of the key, or 0.
    public let number: UInt16
    /// The contact of a source that has only one.
    public static let only = Contact(number: 0)

    /// Creates a contact. `number` is 0 only for a source with one contact.
    public init(number: UInt16) {
        self.number = number
    }
}

/// A raw change of a contact.
public struct ContactEdge: Sendable, Equatable {
    /// The contact of the source.
    public let contact: Contact
    /// Whether the contact became active.
    public let isActive: Bool
    /// The time in nanoseconds of `CLOCK_MONOTONIC`.
    public let timestamp: Int64

    /// Creates an edge, by default of a line; nothing is checked.
    public init(contact: Contact = .only, isActive: Bool, timestamp: Int64) {
        self.contact = contact
        self.isActive = isActive
        self.timestamp = timestamp
    }
}

/// An open source of edges: a GPIO line, an input device with its keys, or a panel. The board's
/// thread makes, uses and ends it. Every method throws when the hardware has gone.
public protocol ButtonSource: AnyObject {
    /// The source's name, for people.
    var name: String { get }

    /// Adds the source to `poller`: readable when ``readEdges(_:)`` has edges, error or hangup when
    /// the hardware has gone. Called once; the source leaves the poller when it ends.
    func watch(with poller: borrowing Poller, tag: UInt64) throws(SystemCallError)

    /// Returns the contact's level, which includes all edges read, and perhaps later ones.
    func isActive(_ contact: Contact) throws(SystemCallError) -> Bool

    /// Passes all waiting edges to `body` in their order and returns at once. After a flood edges
    /// may be missing; the levels are right.
    func readEdges(_ body: (ContactEdge) -> Void) throws(SystemCallError)
}

/// A GPIO output that this program uses; released when its owner ends.
public protocol LampOutput: AnyObject {
    /// Sets the output. Throws when the hardware has gone.
    func setActive(_ active: Bool) throws(SystemCallError)
}

/// The buttons and lamps of a board: the kernel's, or simulated ones.
public protocol ControlHardware: Sendable {
    /// Opens a GPIO line as an input. Throws `ENOENT` if there is no such chip or line, `EBUSY` if
    /// it is in use, `EACCES`.
    func openLine(
        chip: String, line: String, bias: LineBias, activeLow: Bool
    ) throws(SystemCallError) -> any ButtonSource

    /// Returns the input devices with keys that can be opened now.
    func keyDevices() throws(SystemCallError) -> [InputDescription]

    /// Opens an input device for this program alone. Throws `ENOENT`, `EBUSY` if it is in use,
    /// `EACCES`.
    func openKeys(path: String) throws(SystemCallError) -> any ButtonSource

    /// Opens a GPIO line as an inactive output; throws as the input does.
    func openOutput(
        chip: String, line: String, activeLow: Bool
    ) throws(SystemCallError) -> sending any LampOutput
}
