// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

@Suite("Doctor", .serialized, .ownThread, .timeLimit(.common))
struct DoctorTests {
    private let board: RunningBoard

    init() throws { board = try RunningBoard() }

    @Test("the doctor checks by itself without an appliance, and asks a running one")
    func healthy() throws {
        let checks = ["camera", "display", "buttons", "library"]
        let alone = try board.doctor()
        #expect(alone.status == 0)
        var states = try findings(alone)
        #expect(states["appliance"] == "warning")
        for check in checks { #expect(states[check] == "ok") }
        try board.start()
        let asked = try board.doctor()
        states = try findings(asked)
        #expect(asked.status == 0 && states["appliance"] == "ok")
        for check in checks { #expect(states[check] == "ok") }
        try board.stop()
    }

    @Test("a missing camera, no room and an invalid file are failures with status 75")
    func ill() throws {
        try board.write(camera: "match = { driver = \"uvcvideo\", serial = \"nobody\" }")
        let blind = try board.doctor()
        #expect(try blind.status == 75 && findings(blind)["camera"] == "failure")
        try board.change("reserve_mb = 1", to: "reserve_mb = 1000000")
        #expect(try findings(board.doctor())["library"] == "failure")
        try "[display".write(toFile: board.configuration, atomically: true, encoding: .utf8)
        let wrong = try board.doctor()
        #expect(try wrong.status == 75 && findings(wrong)["configuration"] == "failure")
    }

    @Test("an invalid file is only a warning while an appliance takes photos without it")
    func lastGood() throws {
        try board.start()
        try "[display".write(toFile: board.configuration, atomically: true, encoding: .utf8)
        let asked = try board.doctor()
        #expect(try asked.status == 0 && findings(asked)["configuration"] == "warning")
        try board.stop()
    }

    @Test("a missing key, lamp or flash is a warning with its name")
    func notThere() throws {
        try board.change(
            "name = \"back\"", to: "name = \"back\"\nkey = \"KEY_ENTER\"\ndevice = \"nobody's\"")
        try board.change(
            "[board]",
            to: "[lamp]\nfault = \"nobody:1\"\n[flash]\nline = \"nobody:2\"\n[board]")
        let alone = try board.doctor()
        let states = try findings(alone)
        #expect(alone.status == 0)
        #expect(states["buttons"] == "warning" && states["lamps"] == "warning")
        for name in ["back: ", "fault lamp: ", "flash: "] { #expect(alone.output.contains(name)) }
        #expect(!alone.output.contains("shutter: "))
    }

    @Test("a missing second camera is a warning, and no command switches to it")
    func otherCamera() throws {
        #expect(try findings(board.doctor())["camera back"] == nil)
        try board.write(
            more: """
                [[camera]]
                id = "back"
                match = { driver = "uvcvideo", serial = "nobody" }
                [[camera]]
                id = "top"
                match = { driver = "simulated" }
                preset = "640x480"
                """)
        let alone = try board.doctor()
        var states = try findings(alone)
        #expect(alone.status == 0 && alone.output.contains("[[camera]] match"))
        #expect(states["camera back"] == "warning" && states["camera top"] == "ok")
        try board.start()
        states = try findings(board.doctor())
        #expect(states["camera back"] == "warning" && states["camera"] == "ok")
        let refused = try board.attempt("devices", "use", "back")
        #expect(refused.status == 75 && refused.errors.contains("the camera stays"))
        #expect(refused.errors.contains("next: "))
        func camera() throws -> [String: Any] {
            try #require(try board.json("status").first?["camera"] as? [String: Any])
        }
        let used = try camera()
        #expect(used["id"] as? String == "main" && used["state"] as? String == "running")
        _ = try board.run("devices", "use", "top")
        try board.waitUntil {
            try camera()["id"] as? String == "top" && camera()["state"] as? String == "running"
        }
        try board.stop()
    }

    @Test("RAW photos that the camera does not deliver are a warning")
    func raw() throws {
        #expect(try findings(board.doctor())["raw"] == nil)
        try board.change("[board]", to: "[photo]\nformat = \"raw\"\n[board]")
        let asked = try board.doctor()
        #expect(try asked.status == 0 && findings(asked)["raw"] == "warning")
        #expect(asked.output.contains("pixel_format"))
    }

    @Test("the appliance's problems of recording and sound are warnings with their codes")
    func recordingAndSound() throws {
        try board.change(
            "[board]",
            to: """
                [recording]
                pre_roll_s = 1
                encoder = "v4l2"
                microphone = "NoSuchCard,0"
                [board]
                """)
        let codes = ["recording.encoder", "microphone.missing"]
        try board.start()
        try board.waitUntil {
            let problems = try board.json("status").first?["problems"] as? [[String: Any]] ?? []
            return Set(problems.compactMap { $0["code"] as? String }).isSuperset(of: codes)
        }
        let asked = try board.doctor()
        #expect(asked.status == 0)
        // The doctor's own findings stand beside them, without a code.
        let told = try lines(asked).filter { $0["check"] == "recording" }
        for code in codes {
            let line = told.first { $0["message"]?.hasPrefix("\(code): ") == true }
            #expect(line?["state"] == "warning", "\(code): \(told)")
        }
        try board.stop()
    }

    @Test("stabilization with an encoder that cannot stabilize is a warning")
    func steadyDevice() throws {
        try board.change(
            "[board]",
            to: "[recording]\npre_roll_s = 1\nencoder = \"v4l2\"\nstabilization = \"auto\"\n[board]"
        )
        let asked = try board.doctor()
        #expect(try findings(asked)["recording"] == "warning")
        #expect(asked.output.contains("stabilized"))
    }
}

/// The virtual board's case kernel-tests finds this suite by its name.
@Suite(
    "Doctor on gpio-sim and uinput", .serialized, .ownThread, .enabled(if: isVirtualBoard),
    .timeLimit(.common))
struct DoctorKernelControlsTests {
    @Test("lines and keys that exist are found; missing or busy ones are warnings")
    func wiring() throws {
        let board = try RunningBoard()
        let chip = try GPIOSim("doctor-gpio", names: ["SHUTTER", "LAMP"])
        let keyboard = try VirtualKeyboard("Doctor's keys", keys: ["KEY_F20"])
        defer { withExtendedLifetime((chip, keyboard)) {} }
        func states() throws -> [String?] {
            let states = try findings(board.doctor("--socket", "/nonexistent"))
            return [states["buttons"], states["lamps"]]
        }
        try board.change(
            "name = \"shutter\"", to: "name = \"shutter\"\nline = \"doctor-gpio:SHUTTER\"")
        try board.change(
            "name = \"back\"",
            to: "name = \"back\"\nkey = \"KEY_F20\"\ndevice = \"Doctor's keys\"")
        try board.change("[board]", to: "[lamp]\nready = \"doctor-gpio:1\"\n[board]")
        #expect(try states() == ["ok", "ok"])
        try board.start()
        try board.waitUntil { try states() == ["warning", "warning"] }
        try board.stop()
        try board.change("doctor-gpio:SHUTTER", to: "doctor-gpio:SHUTER")
        #expect(try states() == ["warning", "ok"])
        try board.change("doctor-gpio:SHUTER", to: "doctor-gpio:0")
        try board.change("doctor-gpio:1", to: "doctor-gpio:2")
        #expect(try states() == ["ok", "warning"])
        try board.change("KEY_F20", to: "KEY_F19")
        #expect(try states() == ["warning", "warning"])
    }
}

/// Returns the printed lines, and checks that each one that is not ok has a next step.
private func lines(_ result: Program.Outcome) throws -> [[String: String]] {
    let lines = try result.output.split(separator: "\n").map {
        try #require(
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String], "\($0)")
    }
    for line in lines where line["state"] != "ok" {
        #expect(line["next"] != "", "\(line)")
    }
    return lines
}

/// Returns the state of each check.
private func findings(_ result: Program.Outcome) throws -> [String: String] {
    Dictionary(try lines(result).map { ($0["check"] ?? "", $0["state"] ?? "") }) { $1 }
}

extension RunningBoard {
    fileprivate func doctor(_ more: String...) throws -> Program.Outcome {
        try attempt(["doctor", "--config", configuration, "--json"] + more)
    }

    /// Replaces text in the configuration.
    fileprivate func change(_ old: String, to new: String) throws {
        let text = try String(contentsOfFile: configuration, encoding: .utf8)
        try text.replacing(old, with: new)
            .write(toFile: configuration, atomically: true, encoding: .utf8)
    }
}
