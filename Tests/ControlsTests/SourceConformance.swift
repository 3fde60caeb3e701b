// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import GPIO
import Glibc
import Input
import LinuxIO
import TestSupport
import Testing

/// A contact that a test can move, behind a ``ButtonSource``: a fake, a gpio-sim line or a uinput
/// key.
protocol ContactRig {
    var contact: Contact { get }
    func open() throws -> any ButtonSource
    func move(_ isActive: Bool) throws
    func unplug() throws
}

/// The rules that every ``ButtonSource``, fake or real, must follow. See its documentation.
enum SourceConformance: String, CaseIterable, Sendable {
    case edges, held, empty, flood, busy, unplugged

    func check(_ rig: some ContactRig) throws {
        switch self {
        case .edges: try edges(rig)
        case .held: try held(rig)
        case .empty: try empty(rig)
        case .flood: try flood(rig)
        case .busy: try busy(rig)
        case .unplugged: try unplugged(rig)
        }
    }

    /// Each edge wakes the poller and is delivered once, in order, with its time.
    private func edges(_ rig: some ContactRig) throws {
        let source = try rig.open()
        #expect(try !source.isActive(rig.contact))
        for index in 0..<6 {
            // Input events have microsecond timestamps.
            let before = Clock.monotonic - 1000
            try rig.move(index % 2 == 0)
            let edges = try wait(source)
            #expect(edges.map(\.isActive) == [index % 2 == 0])
            #expect(edges.map(\.contact) == [rig.contact])
            let time = edges.first?.timestamp ?? 0
            #expect((before...Clock.monotonic).contains(time))
            #expect(try source.isActive(rig.contact) == (index % 2 == 0))
        }
    }

    /// A contact that is active when the source opens gives no edge.
    private func held(_ rig: some ContactRig) throws {
        try rig.move(true)
        let source = try rig.open()
        #expect(try source.isActive(rig.contact))
        #expect(try read(source).isEmpty)
        try rig.move(false)
        #expect(try wait(source).map(\.isActive) == [false])
    }

    private func empty(_ rig: some ContactRig) throws {
        let source = try rig.open()
        #expect(try read(source).isEmpty)
        #expect(try read(source).isEmpty)
    }

    /// A flood larger than any buffer loses edges, but neither the level nor the next edge.
    private func flood(_ rig: some ContactRig) throws {
        let source = try rig.open()
        for index in 0..<1001 { try rig.move(index % 2 == 0) }
        let count = try wait(source).count
        #expect((1...1001).contains(count))
        #expect(try source.isActive(rig.contact))
        try rig.move(false)
        // Drivers may deliver the last edges of the flood only now.
        while try wait(source).last?.isActive != false {}
        #expect(try !source.isActive(rig.contact))
    }

    /// A contact has one user at a time, and is free when that user ends.
    private func busy(_ rig: some ContactRig) throws {
        var source: (any ButtonSource)? = try rig.open()
        let error = #expect(throws: SystemCallError.self) { try rig.open() }
        #expect(error?.code == EBUSY)
        #expect(source?.name.isEmpty == false)
        source = nil
        _ = try whenFree { try rig.open() }
    }

    /// Unplugging wakes the poller, and the next read fails.
    private func unplugged(_ rig: some ContactRig) throws {
        let source = try rig.open()
        let poller = try Poller()
        try source.watch(with: poller, tag: 9)
        try rig.unplug()
        let event = poller.waitForEvent()
        #expect(event?.tag == 9)
        let error = #expect(throws: SystemCallError.self) { try source.readEdges { _ in } }
        #expect(error?.isGone == true)
    }

    private func wait(_ source: any ButtonSource) throws -> [ContactEdge] {
        let poller = try Poller()
        try source.watch(with: poller, tag: 1)
        let event = poller.waitForEvent()
        try #require(event != nil)
        return try read(source)
    }

    private func read(_ source: any ButtonSource) throws -> [ContactEdge] {
        var edges: [ContactEdge] = []
        try source.readEdges { edges.append($0) }
        return edges
    }
}

@Suite("fake ButtonSource")
struct FakeSourceTests {
    private struct Rig: ContactRig {
        let hardware = FakeControlHardware()
        let contacts: FakeContacts
        let contact = Contact.only
        init() { contacts = hardware.plug(line: "chip:1") }
        func open() throws -> any ButtonSource {
            try hardware.openLine(chip: "chip", line: "1", bias: .asIs, activeLow: false)
        }
        func move(_ isActive: Bool) { contacts.set(isActive, at: Clock.monotonic) }
        func unplug() { hardware.unplug("chip:1") }
    }

    @Test("the fake conforms", arguments: SourceConformance.allCases)
    func conforms(rule: SourceConformance) throws {
        try rule.check(Rig())
    }
}
