// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import Commands
import Foundation
import TestSupport
import Testing

@Suite("System programs", .timeLimit(.minutes(5)))
struct SystemProgramTests {
    @Test("what a program writes to both of its outputs comes back")
    func words() async throws {
        let text = try await SystemProgram.run("sh", ["-c", "echo one; echo two >&2"])
        #expect(Set(text.split(separator: "\n")) == ["one", "two"])
    }

    @Test("one that fails is refused with its own words")
    func failure() async throws {
        let error = await #expect(throws: CommandError.self) {
            try await SystemProgram.run("sh", ["-c", "echo no room; exit 3"])
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("no room"))
    }

    @Test("one that does not end is killed")
    func hang() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path(of: "process")
        await #expect(throws: CommandError.self) {
            try await SystemProgram.run(
                "sh", ["-c", "echo $$ >\(file); exec sleep 300"], patience: .seconds(5))
        }
        let number = try #require(
            pid_t(String(decoding: try folder.contents(of: "process"), as: UTF8.self).dropLast()))
        while kill(number, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
    }
}
