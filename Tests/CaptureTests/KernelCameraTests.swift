// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Glibc
import LinuxIO
import Media
import TestSupport
import Testing
import V4L2

/// Every camera of the virtual board: single- and multi-planar, in vmalloc and contiguous memory.
@Suite(
    "Cameras of V4L2", .serialized, .enabled(if: isVirtualBoard), .timeLimit(.common))
struct KernelCameraTests {
    private struct Device: CameraRig {
        let camera: any CameraDriver
    }

    private static func cameras() throws -> [V4L2Camera] {
        let found = V4L2Camera.discover { $0.driver == "vivid" }.cameras
        try #require(!found.isEmpty)
        return found
    }

    @Test("every camera conforms", arguments: CameraConformance.allCases)
    func conforms(rule: CameraConformance) throws {
        for camera in try Self.cameras() { try rule.check(Device(camera: camera)) }
    }

    /// A camera with its raw sensor formats only. Its raw frames stay with their pictures.
    private struct Sensor: CameraDriver {
        let base: any CameraDriver

        var identity: CameraIdentity { base.identity }
        var formats: [CaptureFormat] {
            base.formats.filter { RawPixelFormat($0.cameraFormat) != nil }
        }
        func open() throws(CaptureError) -> any CameraStream { try base.open() }
    }

    @Test(
        "every camera whose raw frames stay with their pictures conforms",
        arguments: CameraConformance.allCases)
    func sensors(rule: CameraConformance) throws {
        let format = try #require(PixelFormat("RGGB"))
        let found = V4L2Camera.discover(converting: format) { $0.driver == "vivid" }.cameras
        let sensors = found.map(Sensor.init).filter { !$0.formats.isEmpty }
        try #require(!sensors.isEmpty)
        for sensor in sensors { try rule.check(Device(camera: sensor)) }
    }

    @Test("raw sensor formats are listed, but chosen only on request")
    func onRequest() throws {
        let format = try #require(PixelFormat("RGGB"))
        let listed = CaptureDevice.DiscoverySession().cameras.flatMap(\.formats)
        #expect(listed.contains { $0.converted == format })
        for camera in try Self.cameras() {
            let usual = FormatChoice(preset: .photo).rank(camera.formats) { _ in true }
            #expect(!usual.isEmpty && usual.allSatisfy { $0.converted == nil })
        }
    }

    @Test("a listed format can be made active before and after the start")
    func listedFormats() async throws {
        let format = try #require(PixelFormat("RGGB"))
        let listing = CaptureDevice.DiscoverySession(mediaType: .video).cameras
        let camera = try #require(
            listing.first { camera in
                camera.identity.driver == "vivid"
                    && camera.formats.contains { $0.cameraFormat == format }
            })
        let raw = try #require(
            camera.formats.first { $0.cameraFormat == format && $0.dimensions.width <= 640 })
        let usual = try #require(
            camera.formats.first { $0.converted == nil && $0.dimensions == raw.dimensions })
        let session = try CaptureSession()
        try await session.configure { configuration in
            let device = CaptureDevice(
                uniqueID: "main", match: CaptureDevice.Match(path: camera.identity.path))
            try configuration.addInput(CaptureDeviceInput(device: device))
            try configuration.addOutput(VideoDataOutput { _ in })
            try configuration.setActiveFormat(raw)
        }
        #expect(try await session.startRunning().activeFormat.cameraFormat == format)
        for next in [usual, raw] {
            try await session.configure { try $0.setActiveFormat(next) }
            let running = try await session.startRunning()
            #expect(running.activeFormat.cameraFormat == next.cameraFormat)
        }
        await session.close()
    }

    @Test("a wanted device type comes first, and all cameras are found in any case")
    func wanted() throws {
        let cameras = CaptureDevice.DiscoverySession().cameras.map(\.identity)
        #expect(cameras.allSatisfy { $0.driver != "vivid" || $0.deviceType == .simulated })
        for types in [[CaptureDevice.DeviceType.usb], [.simulated, .usb], [.hdmiBridge]] {
            let found = CaptureDevice.DiscoverySession(deviceTypes: types).cameras.map(\.identity)
            #expect(Set(found) == Set(cameras))
            let first = types.first { type in cameras.contains { $0.deviceType == type } }
            #expect(first == nil || found.first?.deviceType == first)
        }
    }

    @Test("a camera is found by any correct criteria, and not by wrong ones")
    func matching() throws {
        typealias Match = CaptureDevice.Match
        func found(_ match: Match) throws(CaptureError) -> CameraIdentity {
            try CaptureDevice(uniqueID: "main", match: match).find().identity
        }
        let camera = try #require(try Self.cameras().last).identity
        #expect(try found(Match(path: camera.path)) == camera)
        #expect(try found(Match(path: camera.busPath)).busPath == camera.busPath)
        #expect(
            try found(Match(serial: camera.serial, path: camera.path, driver: camera.driver))
                == camera)
        for wrong in [
            Match(serial: camera.serial + "1", path: camera.path),
            Match(path: camera.path, driver: "uvcvideo"), Match(path: camera.path + "-"),
        ] {
            #expect(throws: CaptureError.self) { try found(wrong) }
        }
    }

    @Test("a search filters by media type and position, and finds all without them")
    func searched() {
        let all = CaptureDevice.DiscoverySession()
        #expect(!all.cameras.isEmpty && !all.microphones.isEmpty)
        let video = CaptureDevice.DiscoverySession(mediaType: .video)
        #expect(video.cameras.map(\.identity) == all.cameras.map(\.identity))
        #expect(video.microphones.isEmpty)
        let audio = CaptureDevice.DiscoverySession(mediaType: .audio)
        #expect(audio.cameras.isEmpty && audio.microphones.map(\.id) == all.microphones.map(\.id))
        // vivid does not report its position.
        #expect(CaptureDevice.DiscoverySession(position: .front).cameras.isEmpty)
        let outside = CaptureDevice.DiscoverySession(position: .external)
        #expect(outside.cameras.count == all.cameras.count)
    }

    @Test("a camera that streams is busy for others, and free after it stops")
    func busy() throws {
        let camera = try #require(try Self.cameras().first)
        let format = try #require(CameraConformance.tried(camera).first)
        let (first, second) = (try camera.open(), try camera.open())
        _ = try first.configure(format, frameRate: nil)
        _ = try first.allocate(.mapped, count: 4)
        let refusal = #expect(throws: SystemCallError.self) {
            _ = try second.configure(format, frameRate: nil)
            _ = try second.allocate(.mapped, count: 4)
        }
        #expect(refusal?.code == EBUSY)
        let busy = #expect(throws: CaptureError.self) { try camera.checkAvailability() }
        #expect(busy?.code == .busy)
        first.stop()
        // The check does not take the camera.
        try camera.checkAvailability()
        _ = try second.configure(format, frameRate: nil)
        #expect(try second.allocate(.mapped, count: 4).isEmpty == false)
        second.stop()
    }

    @Test("a control reads back as set and stays in its range; unknown ones are refused")
    func controls() throws {
        let device = try VideoDevice(path: try #require(try Self.cameras().first).identity.path)
        let controls = try device.controls()
        let brightness = try #require(controls.first { $0.name == "Brightness" })
        #expect(brightness.minimum < brightness.maximum)
        #expect((brightness.minimum...brightness.maximum).contains(brightness.defaultValue))
        #expect(try device.control(brightness.identifier) == brightness)
        for value in [brightness.minimum, brightness.maximum, brightness.defaultValue] {
            try device.setControl(brightness.identifier, to: value)
            #expect(try device.value(ofControl: brightness.identifier) == value)
        }
        // The kernel clamps the value or refuses it.
        do throws(SystemCallError) {
            try device.setControl(brightness.identifier, to: brightness.maximum + 1)
        } catch {
            #expect(error.code == ERANGE)
        }
        #expect(try device.value(ofControl: brightness.identifier) <= brightness.maximum)
        try device.setControl(brightness.identifier, to: brightness.defaultValue)
        let unknown = #expect(throws: SystemCallError.self) { try device.control(0x7fff_0000) }
        #expect(unknown?.code == EINVAL)
    }

    @Test("formats list their frame rates, and a running session reports format and rate")
    func rates() async throws {
        let camera = try #require(try Self.cameras().first)
        for format in camera.formats {
            let ranges = format.videoSupportedFrameRateRanges
            #expect(ranges.map(\.upperBound).max() == format.maximumFrameRate)
            #expect(ranges.allSatisfy { $0.lowerBound > 0 })
        }
        let wanted = try #require(
            camera.formats.first {
                $0.converted == nil && $0.dimensions == Dimensions(width: 320, height: 180)
            } ?? camera.formats.first)
        let rate = try #require(wanted.videoSupportedFrameRateRanges.first).lowerBound
        let session = try CaptureSession()
        try await session.configure { configuration in
            try configuration.addInput(
                CaptureDeviceInput(
                    device: CaptureDevice(
                        uniqueID: "main",
                        match: CaptureDevice.Match(path: camera.identity.busPath)),
                    pixelFormat: wanted.pixelFormat, dimensions: wanted.dimensions,
                    frameRate: max(rate, 10)))
            try configuration.addOutput(VideoDataOutput { _ in })
        }
        let running = try await session.startRunning()
        #expect(running.activeFormat.dimensions == wanted.dimensions)
        #expect(running.activeFormat.pixelFormat == wanted.pixelFormat)
        let duration = running.activeVideoMinFrameDuration
        #expect(duration.isValid && duration.seconds <= 0.1)
        await session.close()
    }
}
