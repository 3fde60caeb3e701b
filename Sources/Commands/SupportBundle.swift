// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Devices
internal import Diagnostics
internal import FoundationEssentials
internal import Settings

struct SupportBundle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "support-bundle",
        abstract: "Collect state, configuration, devices and log in one file for an engineer.",
        discussion: """
              vitrine support-bundle

            The file contains no photos, no comments of the configuration and no environment. \
            Anything that looks like a password, token or key is masked. Read the file all the \
            same before you send it.
            """)

    @Argument(
        help: "File to create (default: vitrine-support-SECONDS.tar.gz in this folder).",
        completion: .file(extensions: ["gz"]))
    var file: String?

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var client: ClientOptions

    private struct Made: Encodable {
        var file: String
        var parts: [String]
    }

    func run() async throws {
        let name = "vitrine-support-\(Int(Date().timeIntervalSince1970))"
        let path = file ?? "\(name).tar.gz"
        let manager = FileManager.default
        // Only the user who makes the file may read it, and decides whom to send it.
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard !manager.fileExists(atPath: path) else {
            throw CommandError(
                "bundle.exists", "\(path) already exists",
                next: "Remove it, or give another name.", exit: .io)
        }
        guard manager.createFile(atPath: path, contents: nil, attributes: mode) else {
            throw CommandError(
                "bundle.io", "\(path) cannot be written", next: "Give another path.", exit: .io)
        }
        let folder = manager.temporaryDirectory.appending(path: "vitrine-\(UUID().uuidString)")
        defer { try? manager.removeItem(at: folder) }
        do {
            let contents = folder.appending(path: name)
            try manager.createDirectory(
                at: contents, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let parts = await everything()
            for part in parts {
                let text = Data(Secrets.masked(part.text).utf8)
                try text.write(to: contents.appending(path: part.name))
            }
            try await SystemProgram.run(
                "tar", ["--force-local", "-czf", path, "-C", folder.path, name])
            let names = parts.map(\.name)
            print(
                try client.json
                    ? jsonLine(Made(file: path, parts: names))
                    : "\(path): \(names.joined(separator: ", "))")
        } catch {
            try? manager.removeItem(atPath: path)
            throw error
        }
    }

    private struct Part {
        var name: String
        var text: String
    }

    /// Returns all parts. A part that cannot be read contains the reason.
    private func everything() async -> [Part] {
        var parts = [
            part("version.txt") { "vitrine \(Vitrine.version)\n" },
            part("status.json") { try jsonLine(client.request("status", as: StatusReport.self)) },
            // The text is written from the values, because comments may contain anything.
            part("vitrine.toml") { try configuration.load().toml() },
            part("devices.json") { try lines(DeviceList.current()) },
            part("surroundings.json") {
                try lines(Doctor((try? configuration.load()) ?? Settings()).surroundings())
            },
        ]
        for (name, program, arguments) in Self.programs {
            do {
                parts.append(
                    Part(name: name, text: try await SystemProgram.run(program, arguments)))
            } catch {
                parts.append(Part(name: name, text: "\(error)\n"))
            }
        }
        return parts
    }

    private func part(_ name: String, _ text: () throws -> String) -> Part {
        do {
            return Part(name: name, text: try text())
        } catch {
            return Part(name: name, text: "\(error)\n")
        }
    }

    private func lines(_ values: [some Encodable]) throws -> String {
        try values.map { try jsonLine($0) + "\n" }.joined()
    }

    /// The programs whose output is included, but not the unit's environment, which is private.
    private static let programs = [
        ("log.txt", "journalctl", journal + ["--unit", "vitrine", "--lines", "5000"]),
        ("kernel.txt", "journalctl", journal + ["--dmesg", "--lines", "2000"]),
        (
            "unit.txt", "systemctl",
            [
                "show", "vitrine", "--property",
                "ActiveState,SubState,NRestarts,ExecMainStatus,ActiveEnterTimestamp,MemoryCurrent",
            ]
        ),
        ("system.txt", "uname", ["-a"]),
        ("disks.txt", "df", ["-hl"]),
        ("memory.txt", "free", ["-m"]),
    ]
    private static let journal = Logs.journal("short-iso")
}
