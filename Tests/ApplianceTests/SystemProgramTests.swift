// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import Commands
import Foundation
import TestSupport
import Testing

@Suite("System programs", .timeLimit(.common))
struct SystemProgramTests {
    @Test("the output of both of a program's streams is returned")
    func words() async throws {
        let text = try await SystemProgram.run("sh", ["-c", "echo one; echo two >&2"])
        #expect(Set(text.split(separator: "\n")) == ["one", "two"])
    }

    @Test("the error of a failed program has the program's own words")
    func failure() async throws {
        let error = await #expect(throws: CommandError.self) {
            try await SystemProgram.run("sh", ["-c", "echo no room; exit 3"])
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("no room"))
    }

    @Test("`data` returns standard output; its error has the words of standard error")
    func data() async throws {
        let bytes = try await SystemProgram.data(
            of: "sh", ["-c", "printf '\\377\\001'; echo two >&2"], limit: 10)
        #expect(bytes == [0xff, 1])
        let error = await #expect(throws: CommandError.self) {
            try await SystemProgram.data(of: "sh", ["-c", "echo no room >&2; exit 3"], limit: 10)
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("no room"))
    }

    @Test("a program that does not end is killed", arguments: [true, false])
    func hang(isOfWords: Bool) async throws {
        let folder = try TemporaryFolder()
        let file = folder.path(of: "process")
        let arguments = ["-c", "echo $$ >\(file); exec sleep 300"]
        await #expect(throws: CommandError.self) {
            if isOfWords {
                try await SystemProgram.run("sh", arguments, patience: .seconds(30))
            } else {
                _ = try await SystemProgram.data(
                    of: "sh", arguments, limit: 10, patience: .seconds(30))
            }
        }
        let number = try #require(
            pid_t(String(decoding: try folder.contents(of: "process"), as: UTF8.self).dropLast()))
        try await waitUntil { kill(number, 0) != 0 }
    }
}
