// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import TestSupport
import Testing

/// A host board in a folder of its own, with the `vitrine` program that was built beside the tests.
final class RunningBoard {
    private let folder: TemporaryFolder
    let program: URL
    private(set) var appliance: ChildProcess?

    init() throws {
        folder = try TemporaryFolder()
        program = try #require(Self.builtProgram, "vitrine is not built beside the tests")
        try write()
    }

    deinit {
        appliance?.terminate()
    }

    /// The program next to the test bundle.
    static var builtProgram: URL? {
        let bundle = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        return [bundle, bundle.deletingLastPathComponent()]
            .map { $0.appending(path: "vitrine") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    var configuration: String { path("vitrine.toml") }
    func path(_ name: String) -> String { folder.path(of: name) }

    func write(
        camera: String = "match = { driver = \"simulated\" }", preset: String = "1280x720",
        library: String = "library", countdown: Int = 0, more: String = "", to file: String? = nil
    ) throws {
        let text = """
            [board]
            kind = "simulated"
            [library]
            path = "\(library)"
            reserve_mb = 1
            [[camera]]
            id = "main"
            \(camera)
            preset = "\(preset)"
            [display]
            mode = "1280x720"
            countdown_s = \(countdown)
            review_s = 0
            [[button]]
            name = "shutter"
            [[button]]
            name = "back"
            [actions]
            shutter.press = "photo"
            back.press = "cancel"
            \(more)
            """
        try text.write(toFile: file ?? configuration, atomically: true, encoding: .utf8)
    }

    /// Starts the appliance and waits until it shows pictures.
    ///
    /// - Parameter isBlind: Whether to wait only for its answer, not for pictures.
    func start(environment more: [String: String] = [:], isBlind: Bool = false) throws {
        let process = try ChildProcess(
            program.path, ["run", "--config", configuration],
            environment: environment.merging(more) { $1 }, output: "/dev/null", errors: path("log"))
        appliance = process
        try waitUntil {
            let said = (try? String(contentsOfFile: path("log"), encoding: .utf8)) ?? ""
            try #require(process.isRunning, "\(said)")
            guard try attempt("status").status == 0 else { return false }
            if isBlind { return true }
            let preview = try json("status").first?["preview"] as? [String: Any]
            return (preview?["framesShown"] as? Int ?? 0) > 2
        }
    }

    func stop() throws {
        try #require(appliance).terminate()
        try waitForEnd()
    }

    /// Waits for the end of an appliance that has been told to stop.
    func waitForEnd() throws {
        let process = try #require(appliance)
        #expect(process.wait() == 0)
        appliance = nil
    }

    func kill() {
        guard let process = appliance else { return }
        process.kill()
        process.wait()
        appliance = nil
    }

    var environment: [String: String] {
        ["VITRINE_SOCKET": path("control.sock"), "HOME": folder.path, "PATH": "/usr/bin:/bin"]
    }

    /// Adds photos that no camera took to the library. No appliance may be running.
    func ingest(_ count: Int) throws {
        let helper = program.deletingLastPathComponent().appending(path: "library-ingest")
        let result = try Program.run(
            helper.path, ["add", path("library"), "\(count)", "2000"], environment: environment)
        #expect(result.output.contains("readable"), "\(result.errors)")
    }

    /// Returns a shell command that runs the program.
    func command(_ arguments: String...) -> String {
        ([program.path] + arguments).joined(separator: " ")
    }

    /// Runs a shell script with the board's environment.
    func shell(_ script: String) throws -> Program.Outcome {
        try Program.run("/bin/sh", ["-c", script], environment: environment)
    }

    /// Runs a verb to its end, even a failure. `album`, `library` and `sync` get the board's
    /// configuration.
    func attempt(_ arguments: String...) throws -> Program.Outcome { try attempt(arguments) }

    func attempt(_ arguments: [String]) throws -> Program.Outcome {
        var arguments = arguments
        if ["album", "library", "sync"].contains(arguments.first) {
            arguments += ["--config", configuration]
        }
        return try Program.run(program.path, arguments, environment: environment)
    }

    /// Runs a verb that must succeed, and returns its output.
    func run(_ arguments: String...) throws -> String {
        let result = try attempt(arguments)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        return result.output
    }

    /// Returns the objects that a verb prints with `--json`.
    func json(_ arguments: String...) throws -> [[String: Any]] { try json(arguments) }

    /// Returns the number of frames that the camera dropped, as a simulated one does on a busy
    /// machine.
    func framesDroppedByDriver() throws -> Int {
        let camera = try json("status").first?["camera"] as? [String: Any]
        let dropped = camera?["framesDropped"] as? [String: Int]
        return try #require(dropped?["driver"])
    }

    func json(_ arguments: [String]) throws -> [[String: Any]] {
        let result = try attempt(arguments + ["--json"])
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        return try result.output.split(separator: "\n").map { line in
            try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)"
            )
        }
    }

    /// Waits until `condition` is true. A timeout records the appliance's log.
    func waitUntil(
        at location: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
    ) throws {
        do {
            try blockUntil(at: location, condition)
        } catch let error as WaitTimeout {
            Issue.record("\((try? String(contentsOfFile: path("log"), encoding: .utf8)) ?? "")")
            throw error
        }
    }
}
