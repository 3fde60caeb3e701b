// SPDX-License-Identifier: GPL-3.0-or-later

import Appliance
import CommandProtocol
import Display
import Foundation
import Screens
import Testing
import TestSupport

/// Tests of the problem codes of `status`, which are a contract, and of their end with their cause.
@Suite("Problem codes", .serialized, .timeLimit(.common))
struct ProblemCodeTests {
    /// Returns the codes of the present problems of a part, and checks that each names a next step.
    private func codes(_ appliance: Appliance, of part: String = "") async -> [String] {
        let problems = await appliance.status().problems
        for problem in problems { #expect(problem.message.contains("; next: "), "\(problem)") }
        return problems.map(\.code).filter { $0.hasPrefix(part) }
    }

    /// Returns how frames reach the display; empty if they do not.
    private func path(_ appliance: Appliance) async -> String {
        await appliance.status().preview.path
    }

    @Test("a failure that the display thread reports is a problem until it is over")
    func display() async throws {
        let folder = try TemporaryFolder()
        let appliance = try Appliance.simulated(in: folder)
        try await appliance.start()
        try await appliance.wait { await $0.status().preview.framesShown > 2 }
        let error = DisplayError(.failed, "no memory for it")
        await appliance.display.handle(.overlayFailed(error))
        #expect(await codes(appliance, of: "display.") == ["display.overlay"])
        #expect(await appliance.status().health == "degraded")
        await appliance.display.handle(.overlayShown)
        #expect(await codes(appliance, of: "display.") == [])
        // A renegotiated stream is not shown yet.
        await appliance.display.handle(.videoFailed(error))
        #expect(await codes(appliance, of: "display.") == ["display.degraded"])
        #expect(await path(appliance) == "")
        try await Task.sleep(for: .seconds(11))
        #expect(await codes(appliance, of: "display.") == ["display.degraded"])
        await appliance.display.handle(.videoShown)
        #expect(await codes(appliance, of: "display.") == [])
        #expect(await path(appliance) != "")
        await appliance.display.handle(.lost(DisplayError(.notPermitted, "no right")))
        #expect(await codes(appliance, of: "display.") == ["display.denied"])
        await appliance.display.handle(.lost(DisplayError(.noDisplay, "unplugged")))
        #expect(await codes(appliance, of: "display.") == ["display.missing"])
        await appliance.stop()
    }

    @Test("unknown names in [access] and a missing microphone are problems")
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

    @Test("a missing encoder is a problem if clips are waited for")
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

    /// The commands that make a library unusable and that repair it, run in its folder.
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
        "a newer or foreign library is left alone, and used once it is ours again",
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
