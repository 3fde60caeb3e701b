// SPDX-License-Identifier: GPL-3.0-or-later

import GPIO
import Glibc
import LinuxIO
import TestSupport
import Testing

@Suite("GPIO lookup")
struct LookupTests {
    @Test("the error of a missing chip lists the chips that exist")
    func noChip() {
        let error = #expect(throws: SystemCallError.self) { try Chip.find("no such chip") }
        #expect(error?.code == ENOENT)
        #expect(error?.path.hasPrefix("no such chip, there ") == true)
    }

    @Test("a device file that is not a chip is refused")
    func notAChip() {
        #expect(throws: SystemCallError.self) { try Chip(path: "/dev/null") }
    }
}

@Suite("GPIO on gpio-sim", .serialized, .enabled(if: isVirtualBoard))
struct GPIOSimTests {
    let chip: GPIOSim

    init() throws {
        chip = try GPIOSim("kiosk-gpio", names: ["", "SHUTTER", "", "LAMP"])
    }

    func input(
        _ line: String = "SHUTTER", bias: LineBias = .asIs, activeLow: Bool = false
    ) throws -> LineRequest {
        try LineRequest(
            input: line, of: chip.label, consumer: "vitrine test", bias: bias, activeLow: activeLow)
    }

    @Test("a chip is found by label, kernel name and device file, with its lines")
    func lookup() throws {
        let name = try chip.name
        let found = try Chip.find("kiosk-gpio")
        #expect(found.label == "kiosk-gpio" && found.name == name && found.lineCount == 4)
        #expect(try Chip.find(name) == found)
        #expect(try Chip.find("/dev/\(name)") == found)
        #expect(try Chip.all().contains(found))
        #expect(try found.lines().map(\.name) == ["", "SHUTTER", "", "LAMP"])
        #expect(try found.line("LAMP").offset == 3)
        #expect(try found.line("3").name == "LAMP")
    }

    @Test("the error of a missing line lists the lines that exist")
    func noLine() throws {
        let error = #expect(throws: SystemCallError.self) { try input("SHUTER") }
        #expect(error?.code == ENOENT)
        #expect(error?.path == "kiosk-gpio:SHUTER, there are 0 to 3 and SHUTTER, LAMP")
        #expect(throws: SystemCallError.self) { try input("4") }
    }

    @Test("the error of a busy line names its user, and the line is free when that ends")
    func busy() throws {
        var first: LineRequest? = try input()
        let error = #expect(throws: SystemCallError.self) { try input("1") }
        #expect(error?.code == EBUSY)
        #expect(error?.path == "kiosk-gpio:1, used by \"vitrine test\"")
        #expect(try Chip.find(chip.label).line("SHUTTER").isUsed)
        #expect(first?.number ?? -1 >= 0)
        first = nil
        _ = try whenFree { try input() }
    }

    @Test("an edge has its direction and the kernel's timestamp", arguments: [true, false])
    func edges(activeLow: Bool) throws {
        try chip.drive(1, high: activeLow)
        let request = try input(activeLow: activeLow)
        #expect(try !request.isActive())
        var bounds: [ClosedRange<Int64>] = []
        for index in 0..<10 {
            let before = Clock.monotonic
            try chip.drive(1, high: (index % 2 == 0) != activeLow)
            let edge = try nextEdge(of: request)
            bounds.append(before...Clock.monotonic)
            #expect(edge.isActive == (index % 2 == 0))
            #expect(bounds[index].contains(edge.timestamp))
            #expect(try request.isActive() == (index % 2 == 0))
        }
    }

    @Test("a flood loses edges, but later edges are read and the level is right")
    func flood() throws {
        let request = try input()
        try flip(1001)
        let count = try nextEdges(of: request).count
        #expect((1...1001).contains(count))
        #expect(try request.isActive())
        try chip.drive(1, high: false)
        // The interrupt thread may deliver the last edges of the flood only now.
        while try nextEdges(of: request).last?.isActive != false {}
        #expect(try !request.isActive())
    }

    @Test("reading without edges returns at once")
    func empty() throws {
        let request = try input()
        try request.readEdges { _ in Issue.record("an edge from nowhere") }
    }

    @Test("the pull resistors hold an open line up or down")
    func bias() throws {
        #expect(try input(bias: .pullUp).isActive())
        #expect(try !input(bias: .pullDown).isActive())
        #expect(try !input(bias: .pullUp, activeLow: true).isActive())
    }

    @Test("an output has the voltage of its logical level", arguments: [true, false])
    func output(activeLow: Bool) throws {
        let request = try LineRequest(
            output: "LAMP", of: chip.label, consumer: "vitrine test", activeLow: activeLow)
        #expect(try chip.isHigh(3) == activeLow)
        try request.setActive(true)
        #expect(try chip.isHigh(3) == !activeLow)
        #expect(try request.isActive())
        try request.setActive(false)
        #expect(try chip.isHigh(3) == activeLow)
    }

    @Test("a chip that goes away wakes its lines' readers, and every call fails with ENODEV")
    func unplug() throws {
        let request = try input()
        let lamp = try LineRequest(
            output: "LAMP", of: chip.label, consumer: "vitrine test", activeLow: false)
        let poller = try Poller()
        try poller.add(request.number, tag: 7)
        chip.unplug()
        let event = poller.waitForEvent()
        #expect(event?.tag == 7)
        #expect(event?.readiness.isDisjoint(with: [.error, .hangup]) == false)
        let errors: [SystemCallError?] = [
            #expect(throws: SystemCallError.self) { try request.readEdges { _ in } },
            #expect(throws: SystemCallError.self) { try request.isActive() },
            #expect(throws: SystemCallError.self) { try lamp.setActive(true) },
        ]
        for error in errors {
            #expect(error?.code == ENODEV)
            #expect(error?.path.hasPrefix("kiosk-gpio:") == true)
        }
    }

    @Test("requests and lookups leave no descriptor open")
    func descriptors() throws {
        for _ in 0..<50 {
            _ = try whenFree { try input() }
            _ = try? input("nothing")
            let first = try whenFree { try input() }
            #expect(throws: SystemCallError.self) { try input() }
            _ = first
            _ = try Chip.find(chip.label).lines()
        }
        // Other suites may have the chip open at this moment.
        #expect(try openDescriptors(of: "/dev/\(chip.name)") < 5)
    }

    private func flip(_ count: Int) throws {
        for index in 0..<count { try chip.drive(1, high: index % 2 == 0) }
    }

    private func nextEdge(of request: LineRequest) throws -> LineEdge {
        let edges = try nextEdges(of: request)
        #expect(edges.count == 1)
        return try #require(edges.first)
    }

    private func nextEdges(of request: LineRequest) throws -> [LineEdge] {
        let poller = try Poller()
        try poller.add(request.number, tag: 1)
        let event = poller.waitForEvent()
        try #require(event != nil)
        var edges: [LineEdge] = []
        try request.readEdges { edges.append($0) }
        return edges
    }
}
