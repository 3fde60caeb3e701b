// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import CommandProtocol
import Display
import Foundation
import TestSupport
import Testing

/// The codes that `status` gives to what is wrong, which are a contract, and that they go with their cause.
@Suite("Problem codes", .serialized, .timeLimit(.common))
struct ProblemCodeTests {
    /// Of what is wrong now with this part; each names the next step.
    private func codes(_ appliance: Appliance, of part: String = "") async -> [String] {
        let problems = await appliance.status().problems
        for problem in problems { #expect(problem.message.contains("; next: "), "\(problem)") }
        return problems.map(\.code).filter { $0.hasPrefix(part) }
    }

    /// How frames reach the display; nothing when they do not.
    private func path(_ appliance: Appliance) async -> String {
        await appliance.status().preview.path
    }

    @Test("what the display's thread tells is a problem until it is over")
    func display() async throws {
        let folder = try TemporaryFolder()
        let appliance = try Appliance.simulated(in: folder)
        try await appliance.start()
        try await appliance.wait { await $0.status().preview.framesShown ?? 0 > 2 }
        let error = DisplayError(.failed, "no memory for it")
        await appliance.displayChanged(.overlayFailed(error))
        #expect(await codes(appliance, of: "display.") == ["display.overlay"])
        #expect(await appliance.status().health == "degraded")
        await appliance.displayChanged(.overlayShown)
        #expect(await codes(appliance, of: "display.") == [])
        // A stream that was agreed anew is not shown yet.
        await appliance.displayChanged(.videoFailed(error))
        #expect(await codes(appliance, of: "display.") == ["display.degraded"])
        #expect(await path(appliance) == "")
        try await Task.sleep(for: .seconds(11))
        #expect(await codes(appliance, of: "display.") == ["display.degraded"])
        await appliance.displayChanged(.videoShown)
        #expect(await codes(appliance, of: "display.") == [])
        #expect(await path(appliance) != "")
        await appliance.displayChanged(.lost(DisplayError(.notPermitted, "no right")))
        #expect(await codes(appliance, of: "display.") == ["display.denied"])
        await appliance.displayChanged(.lost(DisplayError(.noDisplay, "unplugged")))
        #expect(await codes(appliance, of: "display.") == ["display.missing"])
        await appliance.stop()
    }

    @Test("names of [access] that this machine does not have, and a microphone that is not there")
    func configuration() async throws {
        let folder = try TemporaryFolder()
        let appliance = try Appliance.simulated(
            in: folder,
            """
            access.viewers = "daemon nobody-of-this-name"
            recording.microphone = "NoSuchCard,0"
            """)
        try await appliance.start()
        try await appliance.wait { await codes($0) == ["access.unknown", "microphone.missing"] }
        let problems = await appliance.status().problems
        #expect(problems.first?.message.contains("nobody-of-this-name") == true)
        #expect(problems.first?.message.contains("daemon") == false)
        #expect(problems.last?.message.contains("NoSuchCard,0") == true)
        await appliance.stop()
    }

    @Test("nothing that could compress clips, where somebody waits for it")
    func encoder() async throws {
        let folder = try TemporaryFolder()
        let appliance = try Appliance.simulated(
            in: folder,
            """
            recording.encoder = "v4l2"
            recording.pre_roll_s = 1
            """)
        try await appliance.start()
        try await appliance.wait {
            await $0.status().problems.map(\.code) == ["recording.encoder"]
        }
        #expect(await codes(appliance) == ["recording.encoder"])
        #expect(await appliance.status().health == "degraded")
        await appliance.stop()
    }

    /// What makes a library that cannot be used, and what heals it, in its folder.
    private static let libraries = [
        (
            "library.newer", "sqlite3 library.sqlite 'PRAGMA user_version = 99'",
            "sqlite3 library.sqlite \"PRAGMA user_version = $version\""
        ),
        (
            "library.damaged", "sqlite3 library.sqlite 'PRAGMA application_id = 7'",
            "sqlite3 library.sqlite \"PRAGMA application_id = $application\""
        ),
    ]

    @Test(
        "a library of a newer version, or of another program, is left alone and taken when it is ours again",
        .ownThread, arguments: libraries)
    func library(code: String, harm: String, heal: String) throws {
        let board = try RunningBoard()
        try board.ingest(1)
        let sql = "cd \(board.path("library")) && "
        let numbers = try board.shell(
            sql + "sqlite3 library.sqlite 'PRAGMA user_version; PRAGMA application_id'"
        ).output.split(separator: "\n")
        try #require(numbers.count == 2)
        #expect(try board.shell(sql + harm).status == 0)
        let bytes = try Data(contentsOf: URL(filePath: board.path("library/library.sqlite")))
        try board.start()
        try board.waitUntil { try Self.codes(board) == [code] }
        #expect(try board.json("status").first?["health"] as? String == "failed")
        let press = try board.attempt("press", "shutter", "--wait")
        #expect(press.status == 75 && press.errors.contains("; next: "), "\(press.errors)")
        let now = try Data(contentsOf: URL(filePath: board.path("library/library.sqlite")))
        #expect(now == bytes, "what is not ours was touched")
        let healed = try board.shell(
            "version=\(numbers[0]) application=\(numbers[1]); " + sql + heal)
        #expect(healed.status == 0, "\(healed.errors)")
        try board.waitUntil { try Self.codes(board) == [] }
        #expect(try board.json("press", "shutter", "--wait").first?["sequence"] as? Int == 2)
        try board.stop()
    }

    private static func codes(_ board: RunningBoard) throws -> [String] {
        let problems = try board.json("status").first?["problems"] as? [[String: Any]]
        for problem in problems ?? [] {
            let message = try #require(problem["message"] as? String)
            #expect(message.contains("; next: "), "\(message)")
        }
        return problems?.compactMap { $0["code"] as? String } ?? []
    }
}
