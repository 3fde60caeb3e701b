// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Settings

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The configuration file.", subcommands: [Check.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check a configuration file: every problem, with line and remedy.")

        @Argument(help: "The file.", completion: .file(extensions: ["toml"]))
        var file = ConfigurationOptions.standardPath

        @Flag(help: "Print JSON: one object per line, nothing else.")
        var json = false

        private struct Problem: Encodable {
            var file: String
            var line: Int?
            var column: Int?
            var key: String?
            var code: String
            var message: String
        }

        func run() throws {
            do throws(SettingsError) {
                _ = try Settings.load(file: file)
            } catch {
                if !json { throw error }
                for problem in error.problems {
                    print(
                        try jsonLine(
                            Problem(
                                file: problem.file, line: problem.line, column: problem.column,
                                key: problem.key, code: problem.code.rawValue,
                                message: problem.message)))
                }
                throw ExitCode(error.exitStatus.rawValue)
            }
            if !json { print("\(file): good") }
        }
    }
}
