// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Foundation
import Glibc
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing
import V4L2

/// Controls without a driver. The exposure time is active only in manual mode, as in real cameras.
private final class FakeControls: ControlPort, @unchecked Sendable {
    // Sendable: each test has its own instance.
    private typealias ID = VideoControl.Identifier
    var values: [UInt32: Int64] = [:]
    private(set) var order: [UInt32] = []
    var zoom: (least: Int64, most: Int64) = (100, 400)
    /// The control that cannot be set.
    var refused: UInt32?
    /// The control that cannot be read.
    var unreadable: UInt32?
    /// The error that every query throws.
    var failure: CInt?
    /// Controls of the list below that this camera lacks.
    var missing: Set<UInt32> = []
    var more: [VideoControl] = []

    private var all: [VideoControl] {
        let isManual = values[ID.exposureAuto] == 1
        return [
            VideoControl(
                identifier: ID.exposureAuto, name: "Auto Exposure", minimum: 0, maximum: 3,
                defaultValue: 3,
                isMenu: true),
            VideoControl(
                identifier: ID.exposureAbsolute, name: "Exposure Time", minimum: 3, maximum: 2047,
                defaultValue: 250, isInactive: !isManual),
            VideoControl(
                identifier: ID.autoExposureBias, name: "Bias", minimum: 0, maximum: 4,
                defaultValue: 2,
                isMenu: true),
            // Like some drivers, this one never reports the focus as inactive.
            VideoControl(
                identifier: ID.focusAuto, name: "Auto", minimum: 0, maximum: 1, defaultValue: 1),
            VideoControl(
                identifier: ID.focusAbsolute, name: "Focus", minimum: 10, maximum: 250, step: 5,
                defaultValue: 10),
            VideoControl(
                identifier: ID.zoomAbsolute, name: "Zoom", minimum: zoom.least, maximum: zoom.most,
                defaultValue: zoom.least),
            VideoControl(
                identifier: ID.powerLineFrequency, name: "Power Line", minimum: 0, maximum: 3,
                defaultValue: 2, isMenu: true),
            VideoControl(
                identifier: ID.flashLEDMode, name: "LED", minimum: 0, maximum: 2, defaultValue: 0,
                isMenu: true),
            VideoControl(
                identifier: ID.gain, name: "Gain", minimum: 0, maximum: 255, defaultValue: 64),
        ].filter { !missing.contains($0.identifier) } + more
    }

    func control(_ identifier: UInt32) throws(SystemCallError) -> VideoControl? {
        if let failure { throw SystemCallError(call: "VIDIOC_QUERY_EXT_CTRL", code: failure) }
        return all.first { $0.identifier == identifier }
    }

    func menu(of control: VideoControl) throws(SystemCallError) -> [VideoControl.MenuItem] {
        switch control.identifier {
        case ID.exposureAuto: [1, 3].map { VideoControl.MenuItem(index: $0, value: $0) }
        case ID.autoExposureBias:
            zip(0..., [-2000, -667, 0, 667, 2000] as [Int64]).map {
                VideoControl.MenuItem(index: $0, value: $1)
            }
        case ID.powerLineFrequency: (0...2).map { VideoControl.MenuItem(index: $0, value: $0) }
        default: (0...2).map { VideoControl.MenuItem(index: $0, value: $0) }
        }
    }

    func value(ofControl identifier: UInt32) throws(SystemCallError) -> Int64 {
        if identifier == unreadable {
            throw SystemCallError(call: "VIDIOC_G_EXT_CTRLS", code: EIO)
        }
        let usual = try control(identifier)?.defaultValue ?? 0
        return values[identifier] ?? usual
    }

    func setControl(_ identifier: UInt32, to value: Int64) throws(SystemCallError) {
        if identifier == refused {
            throw SystemCallError(call: "VIDIOC_S_EXT_CTRLS", code: EIO)
        }
        order.append(identifier)
        values[identifier] = value
    }
}

private struct ControlledCamera: ControllableCamera {
    let port: FakeControls
    let identity = CameraIdentity(
        name: "Fake", path: "/dev/video7", driver: "fake", busPath: "usb-1", serial: "77",
        deviceType: .usb)
    let formats: [CaptureFormat] = []
    func open() throws(CaptureError) -> any CameraStream {
        throw CaptureError(.noDevice, "it has no pictures")
    }
    func openControls() throws(CaptureError) -> any ControlPort { port }
}

@Suite("camera controls")
struct CameraControlsTests {
    private let port = FakeControls()
    private var device: CaptureDevice {
        CaptureDevice(uniqueID: "main") { [port] () throws(CaptureError) in
            ControlledCamera(port: port)
        }
    }

    private func configure<Value>(
        _ body: (CameraControls) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value { try device.withConfigurationLock(body) }

    private func raw(_ identifier: UInt32) -> Int64? { port.values[identifier] }

    @Test("states list the existing controls, with ranges and values in familiar units")
    func states() throws {
        let states = try configure { controls throws(CaptureError) in try controls.states() }
        #expect(
            states.map(\.name) == [
                .exposureMode, .exposureDuration, .exposureTargetBias, .gain, .focusMode,
                .lensPosition, .videoZoomFactor, .powerLineFrequency, .torchMode,
            ])
        func state(_ name: CameraControl) throws -> CameraControlState {
            try #require(states.first { $0.name == name })
        }
        let duration = try state(.exposureDuration)
        #expect(duration.minimum == 300 && duration.maximum == 204_700 && duration.step == 100)
        #expect(duration.value == .number(25_000) && !duration.isActive)
        // Aperture priority means automatic exposure on a camera with a fixed aperture.
        #expect(try state(.exposureMode).value == .word("auto"))
        #expect(try state(.exposureMode).choices == ["auto", "manual"])
        let bias = try state(.exposureTargetBias)
        #expect(bias.minimum == -2 && bias.maximum == 2 && bias.value == .number(0))
        #expect(try state(.lensPosition).value == .number(0))
        // The focus mode makes it inactive, whatever the driver reports.
        #expect(try !state(.lensPosition).isActive)
        #expect(try state(.videoZoomFactor).maximum == 4)
        #expect(try state(.powerLineFrequency).choices == ["off", "50hz", "60hz"])
        #expect(try state(.torchMode).choices == ["off", "on"])
        let text = String(decoding: try JSONEncoder().encode(duration), as: UTF8.self)
        #expect(text.contains("\"exposure_us\"") && text.contains("\"active\":false"))
    }

    @Test("modes are set before the values that depend on them, in whatever order given")
    func order() throws {
        try configure { controls throws(CaptureError) in
            try controls.set([
                .lensPosition: .number(0.5), .exposureDuration: .number(8_049),
                .focusMode: .word("locked"), .exposureMode: .word("manual"),
            ])
        }
        #expect(raw(VideoControl.Identifier.exposureAbsolute) == 80)
        #expect(raw(VideoControl.Identifier.focusAbsolute) == 130)
        #expect(
            port.order.prefix(2) == [
                VideoControl.Identifier.exposureAuto, VideoControl.Identifier.focusAuto,
            ])
    }

    @Test("a number is rounded to the driver's nearest step")
    func steps() throws {
        try configure { controls throws(CaptureError) in
            try controls.setFocusModeLocked(lensPosition: 0.51)
            try controls.setExposureTargetBias(0.5)
        }
        #expect(raw(VideoControl.Identifier.focusAbsolute) == 130)
        #expect(raw(VideoControl.Identifier.autoExposureBias) == 3)
    }

    @Test("a zoom factor is clamped to the current range, which may change with the format")
    func zoom() throws {
        try configure { controls throws(CaptureError) in
            #expect(try controls.availableVideoZoomFactors() == 1...4)
            try controls.setVideoZoomFactor(9)
        }
        #expect(raw(VideoControl.Identifier.zoomAbsolute) == 400)
        port.zoom = (100, 200)
        try configure { controls throws(CaptureError) in
            #expect(try controls.availableVideoZoomFactors() == 1...2)
            try controls.setVideoZoomFactor(4)
        }
        #expect(raw(VideoControl.Identifier.zoomAbsolute) == 200)
        try configure { controls throws(CaptureError) in try controls.setVideoZoomFactor(-1) }
        #expect(raw(VideoControl.Identifier.zoomAbsolute) == 100)
    }

    @Test("an unusable control or value is refused with the reason, and changes nothing")
    func refusals() throws {
        let refused: [(CameraControl, CameraControlValue, CaptureError.Code, String)] = [
            (.whiteBalanceMode, .word("auto"), .unsupported, "has no white_balance"),
            (.gain, .number(256), .invalidConfiguration, "allowed: 0 to 255"),
            (.gain, .number(.nan), .invalidConfiguration, "allowed: 0 to 255"),
            (.gain, .word("high"), .invalidConfiguration, "allowed: 0 to 255"),
            (.powerLineFrequency, .word("auto"), .invalidConfiguration, "off, 50hz, 60hz"),
            (.powerLineFrequency, .number(50), .invalidConfiguration, "off, 50hz, 60hz"),
            (.exposureDuration, .number(1000), .unsupported, "exposure=manual"),
            (.lensPosition, .number(0.5), .unsupported, "focus=locked"),
        ]
        for (control, value, code, words) in refused {
            let error = #expect(throws: CaptureError.self) {
                try configure { controls throws(CaptureError) in
                    try controls.set(control, to: value)
                }
            }
            #expect(error?.code == code && error?.message.contains(words) == true, "\(control)")
        }
        #expect(port.order.isEmpty)
    }

    @Test("AVFoundation's calls report supported modes, and set exposure and torch")
    func words() throws {
        try configure { controls throws(CaptureError) in
            #expect(try controls.isFocusModeSupported(.continuousAutoFocus))
            #expect(try controls.isExposureModeSupported(.custom))
            #expect(try !controls.isWhiteBalanceModeSupported(.locked))
            #expect(!controls.isSmoothAutoFocusSupported)
            #expect(try controls.exposureDurations() == 0.0003...0.2047)
            #expect(try controls.exposureTargetBiases() == -2...2)
            #expect(try controls.hasTorch())
            try controls.setExposureModeCustom(duration: MediaTime(value: 1, timescale: 100))
            try controls.setTorchMode(.on)
        }
        #expect(raw(VideoControl.Identifier.exposureAbsolute) == 100)
        #expect(raw(VideoControl.Identifier.flashLEDMode) == 2)
        try configure { controls throws(CaptureError) in try controls.reset(.exposureMode) }
        #expect(raw(VideoControl.Identifier.exposureAuto) == 3)
    }

    @Test("a reset leaves a control alone while the mode makes it inactive")
    func resetRuled() throws {
        try configure { controls throws(CaptureError) in try controls.reset(.exposureMode) }
        let before = port.order
        // The exposure is automatic.
        try configure { controls throws(CaptureError) in try controls.reset(.exposureDuration) }
        #expect(port.order == before)
        try configure { controls throws(CaptureError) in
            try controls.setExposureModeCustom(duration: MediaTime(value: 1, timescale: 100))
            try controls.reset(.exposureDuration)
        }
        #expect(raw(VideoControl.Identifier.exposureAbsolute) == 250)
    }

    @Test("a control value survives conversion to JSON and text; other JSON is refused")
    func valueForms() throws {
        let values: [CameraControlValue] = [
            .number(2), .number(-0.5), .word("manual"), .number(1e20),
        ]
        for value in values {
            let json = try JSONEncoder().encode(value)
            #expect(try JSONDecoder().decode(CameraControlValue.self, from: json) == value)
            #expect(CameraControlValue(value.description) == value)
        }
        #expect(values.map(\.description) == ["2", "-0.5", "manual", "1e+20"])
        #expect(CameraControlValue("nan") == .word("nan"))
        for json in ["true", "[1]", "null"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(CameraControlValue.self, from: Data(json.utf8))
            }
        }
    }

    @Test("a custom exposure out of range leaves the exposure mode unchanged")
    func refusedCustomExposure() throws {
        try configure { controls throws(CaptureError) in try controls.reset(.exposureMode) }
        let error = #expect(throws: CaptureError.self) {
            try configure { controls throws(CaptureError) in
                try controls.setExposureModeCustom(duration: MediaTime(value: 1, timescale: 1))
            }
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(raw(VideoControl.Identifier.exposureAuto) == 3)
    }

    @Test("the holder of the configuration lock can take it again, for any camera")
    func nested() throws {
        let otherPort = FakeControls()
        let other = CaptureDevice(uniqueID: "other") { () throws(CaptureError) in
            ControlledCamera(port: otherPort)
        }
        let names = try device.withConfigurationLock { _ throws(CaptureError) in
            [
                try device.withConfigurationLock { $0.identity.name },
                try other.withConfigurationLock { $0.identity.name },
            ]
        }
        #expect(names.count == 2)
    }

    @Test("controls that are kept beyond the lock refuse every call")
    func kept() throws {
        let kept = try device.withConfigurationLock { $0 }
        for body: () throws -> Void in [
            { try kept.set(.gain, to: .number(9)) }, { try kept.reset(.gain) },
            { _ = try kept.state(of: .gain) },
        ] {
            let error = #expect(throws: CaptureError.self) { try body() }
            #expect(error?.code == .invalidConfiguration)
        }
        #expect(port.order.isEmpty)
    }

    @Test("each mode of focus, exposure and white balance sets the driver's control")
    func modes() throws {
        typealias ID = VideoControl.Identifier
        port.more = [
            VideoControl(
                identifier: ID.autoWhiteBalance, name: "Auto", minimum: 0, maximum: 1,
                defaultValue: 1),
            VideoControl(
                identifier: ID.whiteBalanceTemperature, name: "Temperature", minimum: 2800,
                maximum: 6500, defaultValue: 4600),
        ]
        try configure { controls throws(CaptureError) in
            try controls.setFocusMode(.locked)
            #expect(raw(ID.focusAuto) == 0)
            try controls.setFocusMode(.continuousAutoFocus)
            #expect(raw(ID.focusAuto) == 1)
            try controls.setExposureMode(.custom)
            #expect(raw(ID.exposureAuto) == 1)
            try controls.setExposureMode(.continuousAutoExposure)
            #expect(raw(ID.exposureAuto) == 3)
            try controls.setWhiteBalanceMode(.locked)
            #expect(raw(ID.autoWhiteBalance) == 0)
            try controls.setWhiteBalanceMode(.continuousAutoWhiteBalance)
            #expect(raw(ID.autoWhiteBalance) == 1)
        }
        // Both are set, or neither.
        #expect(throws: CaptureError.self) {
            try configure { controls throws(CaptureError) in
                try controls.setWhiteBalanceModeLocked(temperature: 100)
            }
        }
        #expect(raw(ID.autoWhiteBalance) == 1 && raw(ID.whiteBalanceTemperature) == nil)
        try configure { controls throws(CaptureError) in
            try controls.setWhiteBalanceModeLocked(temperature: 3000)
        }
        #expect(raw(ID.autoWhiteBalance) == 0 && raw(ID.whiteBalanceTemperature) == 3000)
    }

    @Test("a camera without controls and a disconnected one throw different errors")
    func none() throws {
        port.failure = ENODEV
        let gone = #expect(throws: CaptureError.self) {
            try configure { controls throws(CaptureError) in try controls.states() }
        }
        #expect(gone?.code == .disconnected)
        let plain = CaptureDevice(uniqueID: "plain") { () throws(CaptureError) in
            PlainCamera()
        }
        let error = #expect(throws: CaptureError.self) {
            try plain.withConfigurationLock { _ throws(CaptureError) in }
        }
        #expect(error?.code == .unsupported)
    }

    private struct PlainCamera: CameraDriver {
        let identity = CameraIdentity(
            name: "Plain", path: "", driver: "", busPath: "", serial: "", deviceType: .simulated)
        let formats: [CaptureFormat] = []
        func open() throws(CaptureError) -> any CameraStream {
            throw CaptureError(.noDevice, "it has no pictures")
        }
    }

    @Test("an unreadable control is missing from the states; reading it throws the reason")
    func unreadable() throws {
        port.unreadable = VideoControl.Identifier.gain
        let states = try configure { controls throws(CaptureError) in try controls.states() }
        #expect(states.count == 8 && !states.map(\.name).contains(.gain))
        let error = #expect(throws: CaptureError.self) {
            try configure { controls throws(CaptureError) in try controls.state(of: .gain) }
        }
        #expect(error?.code == .failed)
        #expect((error?.underlying as? SystemCallError)?.code == EIO)
        // A control whose old value cannot be read is not set, and the others are restored.
        #expect(throws: CaptureError.self) {
            try configure { controls throws(CaptureError) in
                try controls.set([.powerLineFrequency: .word("50hz"), .gain: .number(9)])
            }
        }
        #expect(raw(VideoControl.Identifier.powerLineFrequency) == 2)
        #expect(raw(VideoControl.Identifier.gain) == nil)
    }

    @Test("a bracket by bias starts from the set bias, and is refused beyond the range")
    func bracketByBias() throws {
        let bias = VideoControl.Identifier.autoExposureBias
        try configure { controls throws(CaptureError) in
            try controls.setExposureTargetBias(0.667)
            let bracket = try ExposureBracket([-0.667, 0, 1], of: controls)
            var taken: [Int64?] = []
            for exposure in bracket.exposures {
                try controls.set(exposure)
                taken.append(raw(bias))
            }
            #expect(taken == [2, 3, 4])
            try controls.set(bracket.before)
            #expect(raw(bias) == 3)
        }
        #expect(throws: CaptureError.self) {
            try configure { controls throws(CaptureError) in
                _ = try ExposureBracket([12], of: controls)
            }
        }
    }

    @Test(
        "a bracket is refused without exposure controls, and for absurd biases",
        arguments: [
            (0.5, false), (Double.infinity, true), (-Double.infinity, true), (Double.nan, true),
            (1e300, true),
        ])
    func bracketRefused(_ bias: Double, _ canBeSet: Bool) throws {
        if !canBeSet {
            port.missing = [
                VideoControl.Identifier.autoExposureBias, VideoControl.Identifier.exposureAbsolute,
            ]
        }
        let error = #expect(throws: CaptureError.self) {
            try configure { controls throws(CaptureError) in
                _ = try ExposureBracket([bias], of: controls)
            }
        }
        #expect(error?.code == .unsupported && port.order.isEmpty)
    }

    @Test("a bracket by duration settles over its own and the previous exposure time")
    func bracketByDuration() throws {
        try configure { controls throws(CaptureError) in
            // This exceeds the bias range of the automatic exposure.
            let bracket = try ExposureBracket([-3, 0, 3], of: controls)
            let durations = bracket.exposures.map { $0[.exposureDuration] }
            #expect(durations == [.number(3125), .number(25_000), .number(200_000)])
            let times = (0...2).map { bracket.settlingTime($0, frameInterval: 20_000_000) }
            #expect(times == [100_000_000, 100_000_000, 800_000_000])
            // The time until automatic exposure has converged again.
            let after = bracket.settlingTimeAfterwards(frameInterval: 20_000_000)
            #expect(after == 4_000_000_000)
            #expect(bracket.before.keys.contains(.exposureDuration))
            #expect(bracket.settlingTime(0, frameInterval: 40_000_000) == 160_000_000)
        }
    }

    /// The progress of another caller.
    private final class Visit: Sendable {
        let hasAsked = Atomic(false)
        let hasEntered = Atomic(false)
    }

    /// Returns whether the thread of this name sleeps in the kernel (proc(5)).
    private func sleeps(_ name: String) -> Bool {
        let folder = "/proc/self/task"
        let threads = (try? FileTree.names(in: folder)) ?? []
        return threads.contains { thread in
            (try? readSmallFile("\(folder)/\(thread)/stat"))?.contains("(\(name)) S") ?? false
        }
    }

    @Test("a second caller waits for the configuration lock, whichever camera it asks for")
    func exclusive() async throws {
        let visit = Visit()
        let otherPort = FakeControls()
        let other = CaptureDevice(uniqueID: "other") { () throws(CaptureError) in
            visit.hasAsked.store(true, ordering: .releasing)
            return ControlledCamera(port: otherPort)
        }
        let (caller, hadEntered) = try device.withConfigurationLock {
            _ throws(CaptureError) -> (NamedThread, Bool) in
            let caller = NamedThread("other-caller") {
                try? other.withConfigurationLock { _ throws(CaptureError) in
                    visit.hasEntered.store(true, ordering: .releasing)
                }
            }
            // Do not wait for a task here: other tests wait for this lock on the threads that run
            // tasks.
            while !visit.hasAsked.load(ordering: .acquiring) { usleep(1000) }
            while !visit.hasEntered.load(ordering: .acquiring), !sleeps("other-caller") {
                usleep(1000)
            }
            return (caller, visit.hasEntered.load(ordering: .acquiring))
        }
        #expect(!hadEntered)
        await caller.join()
        let entersNow = visit.hasEntered.load(ordering: .acquiring)
        #expect(entersNow)
    }

    @Test("the processes that have a file open are named, except this one")
    func users() throws {
        let path = "/tmp/vitrine-file-user-\(getpid())"
        FileManager.default.createFile(atPath: path, contents: nil)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let own = try #require(FileHandle(forReadingAtPath: path))
        // A child that another test forks shares the descriptor until it executes.
        try blockUntil { FileUser.users(of: path).isEmpty }
        let other = Process()
        other.executableURL = URL(filePath: "/bin/sleep")
        other.arguments = ["60"]
        other.standardInput = own
        try other.run()
        defer { other.terminate() }
        let user = FileUser(identifier: other.processIdentifier, name: "sleep")
        try blockUntil { FileUser.users(of: path) == [user] }
        try blockUntil {
            let busy = CaptureError("Fake", SystemCallError(call: "open", code: EBUSY, path: path))
            return busy.holders.map(\.description) == ["PID \(other.processIdentifier) (sleep)"]
        }
        let broken = CaptureError("Fake", SystemCallError(call: "open", code: EIO, path: path))
        #expect(broken.holders.isEmpty)
    }

    @Test("several values are set all or not at all, even if the driver refuses the last")
    func allOrNone() throws {
        let values: [CameraControl: CameraControlValue] = [
            .exposureMode: .word("manual"), .exposureDuration: .number(5000), .gain: .number(9),
        ]
        #expect(throws: CaptureError.self) {
            try configure { controls throws(CaptureError) in
                try controls.set(values.merging([.videoZoomFactor: .word("far")]) { $1 })
            }
        }
        #expect(port.order.isEmpty)
        port.refused = VideoControl.Identifier.gain
        #expect(throws: CaptureError.self) {
            try configure { controls throws(CaptureError) in try controls.set(values) }
        }
        #expect(raw(VideoControl.Identifier.exposureAuto) == 3)
        #expect(raw(VideoControl.Identifier.exposureAbsolute) == 250)
        #expect(raw(VideoControl.Identifier.gain) == nil)
        // A value that is inactive in the mode set with it is refused beforehand.
        #expect(throws: CaptureError.self) {
            try configure { controls throws(CaptureError) in
                try controls.set([
                    .exposureMode: .word("auto"), .exposureDuration: .number(5000),
                ])
            }
        }
    }

    @Test(
        "a control with a nonsensical range is left out, and the others remain",
        arguments: [[9, 8], [Int64.min, 0], [0, Int64.max]])
    func nonsense(_ ends: [Int64]) throws {
        port.zoom = (ends[0], ends[1])
        try configure { controls throws(CaptureError) in
            #expect(try !controls.isSupported(.videoZoomFactor))
            #expect(try controls.states().count == 8)
        }
    }

    @Test("a driver's zoom steps from 0 become zoom factors from 1")
    func zoomSteps() throws {
        port.zoom = (0, 9)
        try configure { controls throws(CaptureError) in
            #expect(try controls.availableVideoZoomFactors() == 1...10)
            try controls.setVideoZoomFactor(3)
        }
        #expect(raw(VideoControl.Identifier.zoomAbsolute) == 2)
    }
}
