// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Devices
import Foundation
import LinuxIO
import Media
import Synchronization
import Testing
import TestSupport
import V4L2

/// A camera with gain and zoom that loses its settings when it is plugged in again.
private final class TunedCamera: ControlPort, Sendable {
    private typealias ID = VideoControl.Identifier
    private let values = Mutex<[UInt32: Int64]>([:])

    func value(_ control: CameraControl) -> Int64? { values.withLock { $0[control.identifier] } }
    func plugIn() { values.withLock { $0 = [:] } }

    func control(_ identifier: UInt32) throws(SystemCallError) -> VideoControl? {
        switch identifier {
        case ID.gain:
            VideoControl(identifier: identifier, name: "", minimum: 0, maximum: 9, defaultValue: 4)
        case ID.zoomAbsolute:
            VideoControl(
                identifier: identifier, name: "", minimum: 10, maximum: 40, defaultValue: 10)
        default: nil
        }
    }
    func menu(of control: VideoControl) throws(SystemCallError) -> [VideoControl.MenuItem] { [] }
    func value(ofControl identifier: UInt32) throws(SystemCallError) -> Int64 {
        let usual = try control(identifier)?.defaultValue ?? 0
        return values.withLock { $0[identifier] } ?? usual
    }
    func setControl(_ identifier: UInt32, to value: Int64) throws(SystemCallError) {
        values.withLock { $0[identifier] = value }
    }
}

private struct TunedDriver: ControllableCamera {
    let port: TunedCamera
    let identity: CameraIdentity
    let formats: [CaptureFormat] = []
    func open() throws(CaptureError) -> any CameraStream {
        throw CaptureError(.noDevice, "it has no pictures")
    }
    func openControls() throws(CaptureError) -> any ControlPort { port }
}

@Suite("CameraControlStore", .timeLimit(.common))
struct CameraControlStoreTests {
    private let folder: TemporaryFolder
    private let port = TunedCamera()

    init() throws { folder = try TemporaryFolder() }

    private func identity(_ serial: String, _ bus: String) -> CameraIdentity {
        CameraIdentity(
            name: "Fake", path: "/dev/video7", driver: "fake", busPath: bus, serial: serial,
            deviceType: .usb)
    }

    private func device(_ identity: CameraIdentity) -> CaptureDevice {
        CaptureDevice(uniqueID: "main") { [port] () throws(CaptureError) in
            TunedDriver(port: port, identity: identity)
        }
    }

    private func store(_ folder: String?) -> CameraControlStore {
        CameraControlStore(folder: folder, executor: ThreadExecutor("test"))
    }

    private var state: String { folder.path(of: "state") }
    private var file: String { "\(state)/camera-controls.json" }

    @Test("settings are restored for the same camera at any port, and for no other")
    func remembered() async throws {
        let first = identity("77", "usb-1")
        let store = self.store(state)
        _ = try await store.set(
            first, [.gain: .number(7), .videoZoomFactor: .number(2)], device(first))
        #expect(port.value(.gain) == 7 && port.value(.videoZoomFactor) == 20)
        // At the next start the camera is at another port.
        port.plugIn()
        let again = self.store(state)
        await again.apply(to: identity("77", "usb-2"), device(identity("77", "usb-2")))
        #expect(port.value(.gain) == 7 && port.value(.videoZoomFactor) == 20)
        port.plugIn()
        await again.apply(to: identity("78", "usb-1"), device(identity("78", "usb-1")))
        #expect(port.value(.gain) == nil)
    }

    @Test("a camera without a serial number is recognised by its port")
    func plug() async throws {
        let store = self.store(nil)
        _ = try await store.set(
            identity("", "usb-1"), [.gain: .number(3)], device(identity("", "usb-1")))
        port.plugIn()
        await store.apply(to: identity("", "usb-2"), device(identity("", "usb-2")))
        #expect(port.value(.gain) == nil)
        await store.apply(to: identity("", "usb-1"), device(identity("", "usb-1")))
        #expect(port.value(.gain) == 3)
    }

    @Test("an override is undone, at the next start if necessary")
    func borrowed() async throws {
        let camera = identity("77", "usb-1")
        let store = self.store(state)
        _ = try await store.set(camera, [.gain: .number(7)], device(camera))
        for gain in [2.0, 3] {
            try await store.beginOverride(
                camera, [.gain: .number(gain)], before: [.gain: .number(6)], device(camera))
        }
        #expect(port.value(.gain) == 3)
        // Another process starts while the camera stays plugged in.
        let again = self.store(state)
        await again.apply(to: camera, device(camera))
        #expect(port.value(.gain) == 6)
        port.plugIn()
        await again.apply(to: camera, device(camera))
        #expect(port.value(.gain) == 7)
        try await again.beginOverride(
            camera, [.gain: .number(2)], before: [.gain: .number(5)], device(camera))
        try await again.endOverride(camera, device(camera))
        #expect(port.value(.gain) == 5)
        await self.store(state).apply(to: camera, device(camera))
        #expect(port.value(.gain) == 7)
        // The camera comes back during an override. A setting made later replaces the override.
        try await again.beginOverride(
            camera, [.gain: .number(2)], before: [.gain: .number(5)], device(camera))
        await again.apply(to: camera, device(camera))
        try await again.endOverride(camera, device(camera))
        #expect(port.value(.gain) == 5)
        try await again.beginOverride(
            camera, [.gain: .number(2)], before: [.gain: .number(5)], device(camera))
        let last = self.store(state)
        _ = try await last.set(camera, [.gain: .number(8)], device(camera))
        await self.store(state).apply(to: camera, device(camera))
        #expect(port.value(.gain) == 8)
    }

    @Test("a refused setting is not stored, and a reset one is forgotten")
    func forgotten() async throws {
        let camera = identity("77", "usb-1")
        let store = self.store(state)
        await #expect(throws: CaptureError.self) {
            try await store.set(camera, [.gain: .number(10)], device(camera))
        }
        #expect(!FileManager.default.fileExists(atPath: file))
        _ = try await store.set(
            camera, [.gain: .number(9), .videoZoomFactor: .number(3)], device(camera))
        let states = try await store.reset(camera, [.gain], device(camera))
        #expect(states.map(\.name) == [.gain] && states.first?.value == .number(4))
        port.plugIn()
        await self.store(state).apply(to: camera, device(camera))
        #expect(port.value(.gain) == nil && port.value(.videoZoomFactor) == 30)
    }

    @Test("a damaged file is kept aside, and a later version is read as far as possible")
    func damaged() async throws {
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        try "{".write(toFile: file, atomically: true, encoding: .utf8)
        _ = self.store(state)
        #expect(try String(contentsOfFile: "\(file).damaged", encoding: .utf8) == "{")
        let later = #"{"serial:Fake:77": {"gain": 5, "tilt": "left"}}"#
        try later.write(toFile: file, atomically: true, encoding: .utf8)
        await self.store(state).apply(to: identity("77", ""), device(identity("77", "")))
        #expect(port.value(.gain) == 5)
    }
}
