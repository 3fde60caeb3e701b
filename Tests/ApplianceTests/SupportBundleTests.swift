// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Support bundle", .serialized, .ownThread, .timeLimit(.common))
struct SupportBundleTests {
    private let board: RunningBoard

    init() throws { board = try RunningBoard() }

    /// Puts a program that prints its arguments and `text` in front of the system's, and returns
    /// the environment for it.
    private func pretend(
        _ name: String, says text: String, succeeds: Bool = true
    ) throws -> [String: String] {
        let folder = board.path("bin")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let said = board.path("said-by-\(name)")
        try text.write(toFile: said, atomically: true, encoding: .utf8)
        // Another process writes the program. A descriptor that is open for writing in this process
        // would be inherited by any program started at the same moment, and the file could not be
        // executed ("text file busy").
        let script = """
            printf '#!/bin/sh\\necho "$@"\\ncat \(said)\\nexit \(succeeds ? 0 : 1)\\n' >\(folder)/\(name)
            chmod 755 \(folder)/\(name)
            """
        #expect(try Program.run("/bin/sh", ["-c", script]).status == 0)
        return board.environment.merging(["PATH": "\(folder):/usr/bin:/bin"]) { $1 }
    }

    /// Returns the text of each file of the bundle by its name.
    private func contents(of bundle: String) throws -> [String: String] {
        let out = board.path("out")
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        let untarred = try Program.run("/bin/tar", ["-xzf", bundle, "-C", out])
        #expect(untarred.status == 0, "\(untarred.errors)")
        var texts: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: out) {
            let name = (path as NSString).lastPathComponent
            if let text = try? String(contentsOfFile: "\(out)/\(path)", encoding: .utf8) {
                texts[name] = text
            }
        }
        return texts
    }

    @Test("a bundle has state, configuration, devices and log, but no secrets")
    func contents() throws {
        let secrets = #"""
            password=CANARY1;CANARY1
            {"accessToken": "CANARY2 and \"CANARY2", "frames": 12}
            Authorization: Token CANARY3, Signature=CANARY3
            a press took a photo
            rclone: https://guest:CANARY@4/CANARY4@example.org/photos is slow
            API_KEY = 'CANARY5'
            {\"token\": \"CANARY and more\"} was refused
            rclone --sftp-pass CANARY --verbose
            psk=CANARY private_key: CANARY
            Cookie: a=CANARY; b=CANARY
            """#
        let environment = try pretend("journalctl", says: secrets)
        let file = try String(contentsOfFile: board.configuration, encoding: .utf8)
        try ("# my password is CANARY6\n" + file).write(
            toFile: board.configuration, atomically: true, encoding: .utf8)
        try board.start(environment: ["BACKUP_PASSWORD": "CANARY7"])
        let bundle = board.path("bundle.tar.gz")
        let arguments = ["support-bundle", bundle, "--config", board.configuration]
        let made = try Program.run(board.program.path, arguments, environment: environment)
        #expect(made.status == 0, "\(made.errors)")
        let texts = try contents(of: bundle)
        #expect(texts["status.json"]?.contains("\"framesCaptured\"") == true)
        #expect(texts["vitrine.toml"]?.contains("[library]") == true)
        #expect(texts["devices.json"] != nil && texts["system.txt"]?.contains("Linux") == true)
        // Control: the lines that held the secrets are there.
        let log = try #require(texts["log.txt"])
        #expect(log.components(separatedBy: "***").count == 11)
        for kept in [
            "\"frames\": 12", "a press took a photo", "@example.org/photos is slow",
            "was refused", "--verbose",
        ] {
            #expect(log.contains(kept))
        }
        for (name, text) in texts {
            #expect(!text.contains("CANARY"), "\(name): \(text)")
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: bundle)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        // An existing file is not replaced.
        let again = try Program.run(board.program.path, arguments, environment: environment)
        #expect(again.status == 74 && again.errors.contains("already exists"))
        #expect(try contents(of: bundle)["log.txt"] == log)
        try board.stop()
        #expect(
            !(try String(contentsOfFile: board.path("log"), encoding: .utf8)).contains("CANARY"))
    }

    @Test("a bundle is made without appliance and systemd, and says why parts are empty")
    func alone() throws {
        let bundle = board.path("alone.tar.gz")
        var environment = try pretend("journalctl", says: "No journal files were found.")
        environment = try pretend("systemctl", says: "not booted with systemd", succeeds: false)
        let made = try Program.run(
            board.program.path,
            ["support-bundle", bundle, "--config", board.path("missing.toml"), "--json"],
            environment: environment)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("\"parts\":["))
        let texts = try contents(of: bundle)
        #expect(texts["status.json"]?.contains("no appliance is running") == true)
        #expect(texts["vitrine.toml"]?.contains("missing.toml") == true)
        #expect(texts["log.txt"]?.contains("No journal files") == true)
        #expect(texts["unit.txt"]?.contains("not booted with systemd") == true)
        #expect(texts["log.txt"]?.contains("--quiet") == false, "that may hide why")
        let nowhere = try board.attempt("support-bundle", board.path("no/folder/here.tar.gz"))
        #expect(nowhere.status == 74 && nowhere.errors.contains("cannot be written"))
    }

    @Test("`logs` asks the journal, and prints why it may not be read")
    func logs() throws {
        let environment = try pretend("journalctl", says: "No journal files were found.")
        let said = try Program.run(
            board.program.path, ["logs", "--lines", "7", "--json"], environment: environment)
        #expect(said.status == 0 && said.output.contains("No journal files"))
        #expect(said.output.contains("--lines 7") && said.output.contains("--output json"))
        #expect(!said.output.contains("--quiet"))
    }

    /// Returns everything that the appliance and the commands print about themselves.
    private func everything() throws -> [String: String] {
        let process = try #require(board.appliance).identifier
        let bundle = board.path("\(UUID()).tar.gz")
        let file = ["--config", board.configuration]
        var texts: [String: String] = [:]
        for verb in [
            ["status"], ["status", "--json"], ["status", "--metrics"], ["doctor"] + file,
            ["config", "show"] + file, ["config", "show", "--json"] + file,
            ["config", "check", board.configuration],
            ["config", "check", board.configuration, "--json"],
            ["support-bundle", bundle] + file,
        ] {
            texts[verb.joined(separator: " ")] = try board.attempt(verb).text
        }
        texts.merge(try contents(of: bundle)) { $1 }
        for file in ["/proc/\(process)/cmdline", "/proc/\(process)/environ", board.path("log")] {
            let bytes = try Data(contentsOf: URL(filePath: file))
            texts[file] = String(decoding: bytes, as: UTF8.self)
        }
        return texts
    }

    @Test("a password in the configuration is reported by its key and never repeated")
    func configuration() throws {
        let good = try String(contentsOfFile: board.configuration, encoding: .utf8)
        func write(_ more: String) throws {
            try (good + more).write(
                toFile: board.configuration, atomically: true, encoding: .utf8)
        }
        try write("\n# password = \"CANARY\"\n")
        try board.start()
        let shown = try everything()
        #expect(shown["config show --config \(board.configuration)"]?.contains("[library]") == true)
        for (name, text) in shown { #expect(!text.contains("CANARY"), "\(name): \(text)") }

        for (secret, key) in [
            ("\n[remote]\npassword = \"CANARY\"\n", "remote: unknown table"),
            ("\n[sync]\npassword = \"CANARY\"\n", "sync.password: unknown key"),
            ("\n[guest]\npassword = \"CANARY\"\n", "guest.password: unknown key"),
            ("\n[guest]\naccess_token = CANARY\n", "not TOML"),
        ] {
            try write(secret)
            kill(try #require(board.appliance).identifier, SIGHUP)
            try board.waitUntil {
                let problems = try board.json("status").first?["problems"] as? [[String: Any]]
                return problems?.contains { "\($0["message"] ?? "")".contains(key) } ?? false
            }
            let told = try everything()
            #expect(told["config check \(board.configuration)"]?.contains(key) == true)
            for (name, text) in told { #expect(!text.contains("CANARY"), "\(name): \(text)") }
        }
        try board.stop()
    }
}
