// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import Input
import LinuxIO
import TestSupport
import Testing

@Suite("Key names")
struct KeyNameTests {
    @Test("key names and numbers convert both ways")
    func names() {
        #expect(KeyCode(name: "KEY_ENTER")?.number == 28)
        #expect(KeyCode(number: 28)?.description == "KEY_ENTER")
        #expect(KeyCode(name: "BTN_TRIGGER")?.number == 0x120)
        #expect(KeyCode(name: "KEY_ENTRE") == nil)
        #expect(KeyCode(number: 100_000) == nil)
        #expect(KeyCode(number: -1) == nil)
    }

    @Test("a number without a name still has a description")
    func unnamed() {
        #expect(KeyCode(number: 0x2ff - 1)?.description.isEmpty == false)
    }

    @Test("a file that is not an input device is refused")
    func notADevice() {
        #expect(throws: SystemCallError.self) { try InputDescription(path: "/dev/null") }
        let error = #expect(throws: SystemCallError.self) { try KeyDevice(path: "/dev/nothing") }
        #expect(error?.code == ENOENT)
    }
}

@Suite("Input on uinput", .serialized, .enabled(if: isVirtualBoard))
struct UinputTests {
    let keyboard: VirtualKeyboard

    init() throws {
        keyboard = try VirtualKeyboard(
            "Kiosk Button", keys: ["KEY_ENTER", "KEY_SPACE"])
    }

    @Test("a keyboard is described and listed")
    func description() throws {
        let found = try InputDescription(path: keyboard.path)
        #expect(found.name == "Kiosk Button")
        #expect(found.keys.map(\.description) == ["KEY_ENTER", "KEY_SPACE"])
        #expect(try InputDescription.all().contains(found))
        #expect(try KeyDevice(path: keyboard.path).description == found)
    }

    @Test("a key's press and release have the kernel's timestamps")
    func events() throws {
        let device = try KeyDevice(path: keyboard.path)
        for isDown in [true, false] {
            let before = Clock.monotonic
            keyboard.set("KEY_ENTER", down: isDown)
            let events = try read(device)
            #expect(events.map(\.phase) == [isDown ? .down : .up])
            #expect(events.map(\.key.description) == ["KEY_ENTER"])
            // The timestamps are truncated to microseconds.
            #expect((before - 1000...Clock.monotonic).contains(events.first?.timestamp ?? 0))
            #expect(device.isDown(try #require(KeyCode(name: "KEY_ENTER"))) == isDown)
        }
    }

    @Test("a key that is held when the device is opened is down")
    func held() throws {
        keyboard.set("KEY_SPACE", down: true)
        let device = try KeyDevice(path: keyboard.path)
        #expect(device.isDown(try #require(KeyCode(name: "KEY_SPACE"))))
        #expect(try read(device, isExpected: false).isEmpty)
    }

    @Test("a grabbed device is busy for others and still read by its owner")
    func grabbed() throws {
        let device = try KeyDevice(path: keyboard.path)
        let error = #expect(throws: SystemCallError.self) { try KeyDevice(path: keyboard.path) }
        #expect(error?.code == EBUSY)
        #expect(error?.path == "\(keyboard.path) (Kiosk Button)")
        keyboard.set("KEY_ENTER", down: true)
        #expect(try read(device).count == 1)
    }

    @Test("the key state is right after dropped events", arguments: [400, 401])
    func dropped(count: Int) throws {
        let device = try KeyDevice(path: keyboard.path)
        for index in 0..<count { keyboard.set("KEY_ENTER", down: index % 2 == 0) }
        let events = try read(device)
        #expect(events.count < count)
        #expect(device.isDown(try #require(KeyCode(name: "KEY_ENTER"))) == (count % 2 == 1))
        var isDown = false
        for event in events {
            #expect((event.phase == .down) != isDown)
            isDown = event.phase == .down
        }
        #expect(isDown == (count % 2 == 1))
        keyboard.set("KEY_ENTER", down: count % 2 == 0)
        #expect(try read(device).count == 1)
    }

    @Test("an unplugged device wakes its reader, and reading fails with ENODEV")
    func unplugged() throws {
        var other: VirtualKeyboard? = try VirtualKeyboard("Other", keys: ["KEY_A"])
        let device = try KeyDevice(path: try #require(other?.path))
        let poller = try Poller()
        try poller.add(device.number, tag: 3)
        other = nil
        let event = poller.waitForEvent()
        #expect(event?.tag == 3)
        let error = #expect(throws: SystemCallError.self) { try device.readEvents { _ in } }
        #expect(error?.code == ENODEV)
    }

    @Test("opening and listing devices leave no descriptor open")
    func descriptors() throws {
        for _ in 0..<30 {
            let device = try grabbed(keyboard.path)
            #expect(throws: SystemCallError.self) { try KeyDevice(path: keyboard.path) }
            _ = try InputDescription.all()
            _ = device
        }
        // Other suites may have the device open at this moment.
        #expect(try openDescriptors(of: keyboard.path) < 5)
    }

    /// Opens the device, and waits while it is busy: a program that another suite starts holds
    /// every descriptor, with its grab, until its exec(3).
    private func grabbed(_ path: String) throws -> KeyDevice {
        try whenFree { try KeyDevice(path: path) }
    }

    private func read(_ device: KeyDevice, isExpected: Bool = true) throws -> [KeyEvent] {
        if isExpected {
            let poller = try Poller()
            try poller.add(device.number, tag: 1)
            let event = poller.waitForEvent()
            try #require(event != nil)
        }
        var events: [KeyEvent] = []
        try device.readEvents { events.append($0) }
        return events
    }
}
