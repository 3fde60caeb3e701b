// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Settings

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check, print and change the configuration file.",
        discussion: """
              vitrine config check /etc/vitrine/vitrine.toml
              vitrine config apply new.toml
            """,
        subcommands: [Check.self, Show.self, Apply.self, Rollback.self, Docs.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print every problem of a configuration file, with line and remedy.",
            discussion: """
                  vitrine config check new.toml
                """)

        @Argument(help: "File to check.", completion: .file(extensions: ["toml"]))
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
                if !json { print("\(file): good") }
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
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a configuration file with all keys, defaults included.",
            discussion: """
                  vitrine config show --config new.toml
                """)

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print JSON: one object, nothing else.")
        var json = false

        func run() throws {
            let settings = try options.load()
            if json { return print(try jsonLine(settings)) }
            print(settings.toml(), terminator: "")
        }
    }

    struct Docs: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the reference of all keys, as Markdown.",
            discussion: """
                  vitrine config docs > configuration.md
                """)

        @Flag(help: "Print JSON: one key per line.")
        var json = false

        private struct Key: Encodable {
            var key: String
            var type: String
            var `default`: String
            var unit: String?
            var allowed: String
            var help: String
        }

        func run() throws {
            if !json { return print(SettingsSchema.reference(), terminator: "") }
            for key in SettingsSchema.keys {
                print(
                    try jsonLine(
                        Key(
                            key: key.path, type: key.type.rawValue, default: key.defaultValue,
                            unit: key.unit, allowed: key.allowedText, help: key.help)))
            }
        }
    }
}
