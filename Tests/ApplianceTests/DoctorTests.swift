// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

@Suite("Doctor", .serialized, .ownThread, .timeLimit(.minutes(2)))
struct DoctorTests {
    private let board: RunningBoard

    init() throws { board = try RunningBoard() }

    private func findings(_ result: Program.Outcome) throws -> [String: String] {
        let lines = try result.output.split(separator: "\n").map {
            try #require(
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String], "\($0)")
        }
        for line in lines where line["state"] != "ok" {
            #expect(line["next"] != "", "\(line)")
        }
        return Dictionary(lines.map { ($0["check"] ?? "", $0["state"] ?? "") }) { $1 }
    }

    private func doctor() throws -> Program.Outcome {
        try board.attempt("doctor", "--config", board.configuration, "--json")
    }

    @Test("without an appliance it looks for itself; with one it asks")
    func healthy() throws {
        let alone = try doctor()
        #expect(alone.status == 0)
        var states = try findings(alone)
        #expect(states["appliance"] == "warning")
        for check in ["camera", "display", "buttons", "storage"] { #expect(states[check] == "ok") }
        try board.start()
        let asked = try doctor()
        states = try findings(asked)
        #expect(asked.status == 0 && states["appliance"] == "ok" && states["library"] == "ok")
        try board.stop()
    }

    @Test("no camera, no room, a wrong configuration: a failure each, with the next step, and 75")
    func ill() throws {
        try board.write(camera: "match = { driver = \"uvcvideo\", serial = \"nobody\" }")
        let blind = try doctor()
        #expect(try blind.status == 75 && findings(blind)["camera"] == "failure")
        let text = try String(contentsOfFile: board.configuration, encoding: .utf8)
        try text.replacing("reserve_mb = 1", with: "reserve_mb = 1000000")
            .write(toFile: board.configuration, atomically: true, encoding: .utf8)
        #expect(try findings(doctor())["storage"] == "failure")
        try "[display".write(toFile: board.configuration, atomically: true, encoding: .utf8)
        let wrong = try doctor()
        #expect(try wrong.status == 75 && findings(wrong)["configuration"] == "failure")
    }
}
