// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import Devices
import Diagnostics
import Foundation
import Glibc
import Health
import LinuxIO
import Settings
import Testing
import TestSupport

/// Tests of the doctor's findings on simulated machines.
@Suite("Doctor's findings")
struct DoctorFactsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func finding(
        _ check: String, _ facts: Doctor.Facts, _ text: String = ""
    ) throws -> Doctor.Finding? {
        let doctor = Doctor(try Settings.parse(text, fileName: "test"), facts)
        let all = check.hasSuffix("display") ? doctor.devices() : doctor.surroundings()
        let found = all.first { $0.check == check }
        // Every finding that is not ok has a next step.
        if let found { #expect((found.state == .ok) == found.next.isEmpty, "\(found)") }
        return found
    }

    @Test(
        "the encoder that would be used is named, even for stabilized pictures",
        arguments: [
            ("", "by a device"), ("encoder = \"v4l2\"", "by a device"),
            ("stabilization = \"auto\"", "(which alone steadies pictures)"),
            ("encoder = \"libx264\"", "libx264 on the processor (as configured)"),
        ])
    func encoder(_ text: String, _ expected: String) throws {
        let settings = try Settings.parse("[recording]\n" + text, fileName: "test")
        let said = try Doctor.encoder(for: settings.recording, device: "a device")
        #expect(said.contains(expected))
        if text.contains("v4l2") { return }
        let without = try Doctor.encoder(for: settings.recording, device: nil)
        #expect(without.contains("no encoder in hardware"))
    }

    @Test("the decoder is that of the configuration")
    func decoder() {
        var playback = PlaybackSettings()
        #expect(Doctor.decoder(for: playback, device: "a device").contains("H.264 by a device"))
        #expect(Doctor.decoder(for: playback, device: nil).contains("no decoder in hardware"))
        playback.decoder = .software
        #expect(Doctor.decoder(for: playback, device: "a device").contains("as configured"))
    }

    /// Returns a device from the JSON that `vitrine devices --json` prints.
    private func device(_ json: String) throws -> DeviceList.Device {
        try JSONDecoder().decode(DeviceList.Device.self, from: Data(json.utf8))
    }

    private func display(_ name: String, _ modes: String) throws -> DeviceList.Device {
        try device(
            #"{"kind":"display","path":"/dev/dri/card0","name":"\#(name)","driver":"vc4","details":[\#(modes)]}"#
        )
    }

    @Test("an encoder that drops more than a tenth of the frames is found")
    func slowEncoder() {
        var recording = StatusReport.Recording()
        #expect(Doctor.encoder(of: recording) == nil)
        (recording.framesEncoded, recording.framesDropped) = (90, ["encoder": 10, "sound": 90])
        #expect(Doctor.encoder(of: recording) == nil)
        (recording.encoder, recording.framesDropped) = ("libx264", ["encoder": 11])
        let found = Doctor.encoder(of: recording)
        recording.framesEncoded = 80
        #expect(Doctor.encoder(of: recording) == nil, "too few")
        (recording.encoder, recording.framesEncoded) = ("camera", 90)
        #expect(Doctor.encoder(of: recording) == nil, "it has not begun")
        #expect(found?.check == "recording" && found?.state == .warning)
        #expect(found?.message == "libx264 had no time for 11 of 101 frames")
        #expect(found?.next.isEmpty == false)
    }

    @Test("a display counts if it is connected and is the configured one")
    func display() throws {
        var facts = Doctor.Facts()
        let nothing = try finding("display", facts)
        #expect(nothing?.state == .warning && nothing?.message.contains("there is none") == true)
        facts.attached = [
            try display("HDMI-A-1", #""disconnected""#), try display("HDMI-A-2", #""1280x720""#),
        ]
        #expect(try finding("display", facts)?.message == "HDMI-A-2 on vc4, 1 modes")
        let wrong = try finding("display", facts, "display.connector = \"HDMI-A-1\"")
        #expect(wrong?.state == .warning)
        #expect(wrong?.message.contains("HDMI-A-1 disconnected, HDMI-A-2 1280x720") == true)
        #expect(try finding("display", facts, "display.driver = \"vkms\"")?.state == .warning)
        #expect(try finding("second display", facts) == nil)
        // The first display cannot use the connector of the second.
        let second = "second_display.connector = \"HDMI-A-2\""
        #expect(try finding("second display", facts, second)?.message == "HDMI-A-2 on vc4, 1 modes")
        #expect(try finding("display", facts, second)?.state == .warning)
        let third = "second_display.connector = \"HDMI-A-3\""
        #expect(try finding("second display", facts, third)?.state == .warning)
    }

    @Test("devices without permission and devices that do not answer are told apart")
    func unopened() throws {
        var facts = Doctor.Facts()
        #expect(try finding("permissions", facts)?.state == .ok)
        let refused = #""path":"/dev/video0","name":"cannot be opened","driver":"""#
        facts.attached = [
            try device(#"{"kind":"camera",\#(refused),"details":["denied"],"isDenied":true}"#)
        ]
        #expect(try finding("permissions", facts)?.message == "denied")
        #expect(try finding("permissions", facts)?.state == .warning)
        #expect(try finding("devices", facts) == nil)
        facts.attached = [try device(#"{"kind":"camera",\#(refused),"details":["broken"]}"#)]
        #expect(try finding("permissions", facts)?.state == .ok)
        #expect(try finding("devices", facts)?.message == "broken")
        #expect(try finding("devices", facts)?.state == .warning)
    }

    @Test("root checks the service user's rights by owner, group and others of each device")
    func user() throws {
        for (mode, isOwner, isMember, isGood) in [
            (0o600, false, true, false), (0o660, false, true, true), (0o660, false, false, false),
            (0o666, false, false, true), (0o606, false, true, false), (0o600, true, false, true),
            (0o066, true, true, false), (0o640, false, true, false),
        ] as [(mode_t, Bool, Bool, Bool)] {
            let path = try folder.write([], to: "\(mode)-\(isOwner)-\(isMember)")
            // A file of root's is no use here, because root may do everything.
            if getuid() == 0 { try systemCall("chown", path) { unsafe chown(path, 1, 1) } }
            try systemCall("chmod", path) { unsafe chmod(path, mode) }
            var status = stat()
            try systemCall("stat", path) { unsafe stat(path, &status) }
            var facts = Doctor.Facts()
            facts.attached = [
                try device(
                    #"{"kind":"gpio","path":"\#(path)","name":"chip","driver":"gpiochip0","details":[]}"#
                )
            ]
            facts.user = Account(
                name: "vitrine", user: isOwner ? status.st_uid : 4242,
                groups: isMember ? [status.st_gid] : [4242])
            let found = try finding("permissions", facts)
            #expect(found?.state == (isGood ? .ok : .warning), "\(String(mode, radix: 8))")
            if !isGood { #expect(found?.message == "user vitrine may not open \(path)") }
        }
    }

    @Test("root may open every file, nobody may not, and an unknown name is no account")
    func accounts() throws {
        let root = try #require(Account(named: "root"))
        let path = try folder.write([], to: "closed")
        try systemCall("chmod", path) { unsafe chmod(path, 0) }
        #expect(try root.mayReadAndWrite(path))
        #expect(try Account(named: "nobody")?.mayReadAndWrite(path) == false)
        #expect(Account(named: "no such user") == nil)
    }

    @Test("an unset clock is a warning that tells whether a hardware clock keeps the time")
    func clock() throws {
        var facts = Doctor.Facts()
        facts.clockIsSynchronized = true
        #expect(try finding("clock", facts)?.state == .ok)
        facts.clockIsSynchronized = false
        facts.hasHardwareClock = true
        let kept = try finding("clock", facts)
        #expect(kept?.state == .warning && kept?.message.contains("keeps the time") == true)
        facts.hasHardwareClock = false
        let wrong = try finding("clock", facts)
        #expect(wrong?.state == .warning && wrong?.message.contains("dated wrongly") == true)
    }

    @Test(
        "heat, a weak supply and throttling are warnings",
        arguments: [
            ("class/thermal/thermal_zone0/temp", "85000\n", "85 °C"),
            ("class/hwmon/hwmon0/in0_lcrit_alarm", "1\n", "too weak"),
            ("devices/platform/soc/soc:firmware/get_throttled", "4\n", "slowed the board down"),
        ])
    func board(file: String, text: String, words: String) throws {
        try folder.write(Array("rpi_volt\n".utf8), to: "sys/class/hwmon/hwmon0/name")
        var facts = Doctor.Facts()
        facts.sensors = BoardSensors(root: folder.path)
        #expect(try finding("board", facts)?.state == .ok)
        try folder.write(Array(text.utf8), to: "sys/\(file)")
        let found = try finding("board", facts)
        #expect(found?.state == .warning && found?.message.contains(words) == true)
    }
}
