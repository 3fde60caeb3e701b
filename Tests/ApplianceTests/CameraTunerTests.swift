// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import Capture
import Foundation
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing
import V4L2

/// A camera with gain and zoom, which forgets all when it is plugged in again.
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

@Suite("CameraTuner", .timeLimit(.common))
struct CameraTunerTests {
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

    private func tuner(_ folder: String?) -> CameraTuner {
        CameraTuner(folder: folder, executor: ThreadExecutor("test"))
    }

    private var state: String { folder.path(of: "state") }
    private var file: String { "\(state)/camera-controls.json" }

    @Test(
        "what is set is set again for the same camera wherever it is plugged in, and for no other")
    func remembered() async throws {
        let first = identity("77", "usb-1")
        let tuner = self.tuner(state)
        _ = try await tuner.set(
            first, [.gain: .number(7), .videoZoomFactor: .number(2)], device(first))
        #expect(port.value(.gain) == 7 && port.value(.videoZoomFactor) == 20)
        // At the next start, and at another plug.
        port.plugIn()
        let again = self.tuner(state)
        await again.restore(identity("77", "usb-2"), device(identity("77", "usb-2")))
        #expect(port.value(.gain) == 7 && port.value(.videoZoomFactor) == 20)
        port.plugIn()
        await again.restore(identity("78", "usb-1"), device(identity("78", "usb-1")))
        #expect(port.value(.gain) == nil)
    }

    @Test("a camera without a serial number is known by where it is plugged in")
    func plug() async throws {
        let tuner = self.tuner(nil)
        _ = try await tuner.set(
            identity("", "usb-1"), [.gain: .number(3)], device(identity("", "usb-1")))
        port.plugIn()
        await tuner.restore(identity("", "usb-2"), device(identity("", "usb-2")))
        #expect(port.value(.gain) == nil)
        await tuner.restore(identity("", "usb-1"), device(identity("", "usb-1")))
        #expect(port.value(.gain) == 3)
    }

    @Test("what was set for a moment is set back, at the next start if need be")
    func borrowed() async throws {
        let camera = identity("77", "usb-1")
        let tuner = self.tuner(state)
        _ = try await tuner.set(camera, [.gain: .number(7)], device(camera))
        for gain in [2.0, 3] {
            try await tuner.borrow(
                camera, [.gain: .number(gain)], before: [.gain: .number(6)], device(camera))
        }
        #expect(port.value(.gain) == 3)
        // Another process: the camera has stood on.
        let again = self.tuner(state)
        await again.restore(camera, device(camera))
        #expect(port.value(.gain) == 6)
        port.plugIn()
        await again.restore(camera, device(camera))
        #expect(port.value(.gain) == 7)
        try await again.borrow(
            camera, [.gain: .number(2)], before: [.gain: .number(5)], device(camera))
        try await again.giveBack(camera, device(camera))
        #expect(port.value(.gain) == 5)
        await self.tuner(state).restore(camera, device(camera))
        #expect(port.value(.gain) == 7)
        // In the midst of it the camera comes anew; and what somebody sets afterwards counts.
        try await again.borrow(
            camera, [.gain: .number(2)], before: [.gain: .number(5)], device(camera))
        await again.restore(camera, device(camera))
        try await again.giveBack(camera, device(camera))
        #expect(port.value(.gain) == 5)
        try await again.borrow(
            camera, [.gain: .number(2)], before: [.gain: .number(5)], device(camera))
        let last = self.tuner(state)
        _ = try await last.set(camera, [.gain: .number(8)], device(camera))
        await self.tuner(state).restore(camera, device(camera))
        #expect(port.value(.gain) == 8)
    }

    @Test("what is refused is not remembered; what is reset is forgotten")
    func forgotten() async throws {
        let camera = identity("77", "usb-1")
        let tuner = self.tuner(state)
        await #expect(throws: CaptureError.self) {
            try await tuner.set(camera, [.gain: .number(10)], device(camera))
        }
        #expect(!FileManager.default.fileExists(atPath: file))
        _ = try await tuner.set(
            camera, [.gain: .number(9), .videoZoomFactor: .number(3)], device(camera))
        let states = try await tuner.reset(camera, [.gain], device(camera))
        #expect(states.map(\.name) == [.gain] && states.first?.value == .number(4))
        port.plugIn()
        await self.tuner(state).restore(camera, device(camera))
        #expect(port.value(.gain) == nil && port.value(.videoZoomFactor) == 30)
    }

    @Test(
        "a memory that is none is kept aside, and one of a later version is read as far as it goes")
    func damaged() async throws {
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        try "{".write(toFile: file, atomically: true, encoding: .utf8)
        _ = self.tuner(state)
        #expect(try String(contentsOfFile: "\(file).damaged", encoding: .utf8) == "{")
        let later = #"{"serial:Fake:77": {"gain": 5, "tilt": "left"}}"#
        try later.write(toFile: file, atomically: true, encoding: .utf8)
        await self.tuner(state).restore(identity("77", ""), device(identity("77", "")))
        #expect(port.value(.gain) == 5)
    }
}
