// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import GPIO
import Glibc
import Input
import LinuxIO
import Synchronization

/// Hardware that a test plugs in, moves and unplugs.
final class FakeControlHardware: ControlHardware {
    private let shared = Mutex(Shared())

    private struct Shared {
        var lines: [String: FakeContacts] = [:]
        var keyboards: [String: (InputDescription, FakeContacts)] = [:]
        var lamps: [String: Bool] = [:]
        var refusals: [String: CInt] = [:]
        var attempts = 0
    }

    /// The number of requests to the hardware.
    var attempts: Int { shared.withLock { $0.attempts } }

    /// Adds a line, or brings its chip back.
    @discardableResult
    func plug(line: String) -> FakeContacts {
        let contacts = FakeContacts(line)
        shared.withLock { $0.lines[line] = contacts }
        return contacts
    }

    @discardableResult
    func plug(keyboard name: String, path: String, keys: [String]) -> FakeContacts {
        let contacts = FakeContacts(name)
        let description = InputDescription(
            path: path, name: name, keys: keys.compactMap { KeyCode(name: $0) })
        shared.withLock { $0.keyboards[path] = (description, contacts) }
        return contacts
    }

    func plug(lamp: String) {
        shared.withLock { $0.lamps[lamp] = false }
    }

    func unplug(_ name: String) {
        let contacts = shared.withLock { shared in
            shared.lamps[name] = nil
            return shared.lines.removeValue(forKey: name)
                ?? shared.keyboards.removeValue(forKey: name)?.1
        }
        contacts?.unplug()
    }

    /// Whether the lamp is lit; `nil` if it does not exist.
    func lamp(_ name: String) -> Bool? {
        shared.withLock { $0.lamps[name] }
    }

    /// Makes opening fail with this error from now on; 0 means no error.
    func refuse(_ name: String, _ code: CInt) {
        shared.withLock { $0.refusals[name] = code }
    }

    func openLine(
        chip: String, line: String, bias: LineBias, activeLow: Bool
    ) throws(SystemCallError) -> any ButtonSource {
        let name = "\(chip):\(line)"
        try check(name)
        guard let contacts = shared.withLock({ $0.lines[name] }) else {
            throw SystemCallError(call: "find GPIO line", code: ENOENT, path: name)
        }
        return try FakeSource(contacts)
    }

    func keyDevices() throws(SystemCallError) -> [InputDescription] {
        try check("keyboards")
        return shared.withLock { $0.keyboards.values.map(\.0) }
    }

    func openKeys(path: String) throws(SystemCallError) -> any ButtonSource {
        try check(path)
        guard let contacts = shared.withLock({ $0.keyboards[path]?.1 }) else {
            throw SystemCallError(call: "open", code: ENOENT, path: path)
        }
        return try FakeSource(contacts)
    }

    func openOutput(
        chip: String, line: String, activeLow: Bool
    ) throws(SystemCallError) -> sending any LampOutput {
        let name = "\(chip):\(line)"
        try check(name)
        guard lamp(name) != nil else {
            throw SystemCallError(call: "find GPIO line", code: ENOENT, path: name)
        }
        return FakeLamp(name, self)
    }

    private func check(_ name: String) throws(SystemCallError) {
        let code = shared.withLock { shared in
            shared.attempts += 1
            return shared.refusals[name] ?? 0
        }
        if code != 0 { throw SystemCallError(call: "open", code: code, path: name) }
    }

    fileprivate func set(_ lamp: String, _ isOn: Bool) throws(SystemCallError) {
        let isThere = shared.withLock { shared in
            guard shared.lamps[lamp] != nil else { return false }
            shared.lamps[lamp] = isOn
            return true
        }
        guard isThere else { throw SystemCallError(call: "set", code: ENODEV, path: lamp) }
    }
}

/// The contacts of a line or keyboard, moved by a test on any thread.
final class FakeContacts: Sendable {
    let name: String
    fileprivate let shared = Mutex(Shared())

    fileprivate struct Shared {
        var levels: [Contact: Bool] = [:]
        var waiting: [ContactEdge] = []
        var isUnplugged = false
        var wake: WakeSignal?

        mutating func press(at time: Int64) {
            levels[.only] = true
            waiting.append(ContactEdge(contact: .only, isActive: true, timestamp: time))
        }
    }

    init(_ name: String) {
        self.name = name
    }

    /// Whether a source has opened the contacts.
    var isOpen: Bool { shared.withLock { $0.wake != nil } }

    /// Changes the level with an edge at `time`; without a `time` the edge is lost.
    func set(_ isActive: Bool, at time: Int64?, contact: Contact = .only) {
        let wake = shared.withLock { shared in
            shared.levels[contact] = isActive
            // As in the kernel, edges before the opening are dropped, and the buffer is finite.
            guard let time, shared.wake != nil, shared.waiting.count < 64 else {
                return nil as WakeSignal?
            }
            shared.waiting.append(
                ContactEdge(contact: contact, isActive: isActive, timestamp: time))
            return shared.wake
        }
        wake?.signal()
    }

    /// Delivers alternating edges, the first of them active, before a source can read any.
    ///
    /// - Parameter level: The level after the edges; by default that of the last edge.
    func toggle(at times: [Int64], level: Bool? = nil) {
        let wake = shared.withLock { shared in
            shared.levels[.only] = level ?? !times.count.isMultiple(of: 2)
            for (index, time) in times.enumerated() {
                shared.waiting.append(
                    ContactEdge(
                        contact: .only, isActive: index.isMultiple(of: 2), timestamp: time))
            }
            return shared.wake
        }
        wake?.signal()
    }

    /// Makes both contacts active before a source can read either.
    func press(with other: FakeContacts, at time: Int64) {
        shared.withLock { shared in
            shared.press(at: time)
            other.shared.withLock { $0.press(at: time) }
        }
        for contacts in [self, other] { contacts.shared.withLock(\.wake)?.signal() }
    }

    fileprivate func unplug() {
        let wake = shared.withLock { shared in
            shared.isUnplugged = true
            return shared.wake
        }
        wake?.signal()
    }

    fileprivate var gone: SystemCallError {
        SystemCallError(call: "read", code: ENODEV, path: name)
    }
}

private final class FakeSource: ButtonSource {
    private let contacts: FakeContacts
    private let wake: WakeSignal
    var name: String { contacts.name }

    init(_ contacts: FakeContacts) throws(SystemCallError) {
        self.contacts = contacts
        let wake = try WakeSignal()
        self.wake = wake
        let isFree = contacts.shared.withLock { shared in
            guard shared.wake == nil else { return false }
            shared.wake = wake
            return true
        }
        guard isFree else {
            throw SystemCallError(call: "open", code: EBUSY, path: contacts.name)
        }
    }

    deinit {
        contacts.shared.withLock { shared in
            if shared.wake === wake { shared.wake = nil }
        }
    }

    func watch(with poller: borrowing Poller, tag: UInt64) throws(SystemCallError) {
        try poller.add(wake, tag: tag)
    }

    func isActive(_ contact: Contact) throws(SystemCallError) -> Bool {
        let level = contacts.shared.withLock { shared -> Bool? in
            shared.isUnplugged ? nil : shared.levels[contact] ?? false
        }
        guard let level else { throw contacts.gone }
        return level
    }

    func readEdges(_ body: (ContactEdge) -> Void) throws(SystemCallError) {
        let (edges, isUnplugged) = contacts.shared.withLock { shared in
            defer { shared.waiting = [] }
            return (shared.waiting, shared.isUnplugged)
        }
        for edge in edges { body(edge) }
        if isUnplugged { throw contacts.gone }
    }
}

private final class FakeLamp: LampOutput {
    private let name: String
    private let hardware: FakeControlHardware

    init(_ name: String, _ hardware: FakeControlHardware) {
        self.name = name
        self.hardware = hardware
    }

    func setActive(_ active: Bool) throws(SystemCallError) {
        try hardware.set(name, active)
    }
}
