// SPDX-License-Identifier: GPL-3.0-or-later

public import ArgumentParser
internal import CVersion

/// The `vitrine` command.
public struct Vitrine: AsyncParsableCommand {
    /// The help text and the verbs.
    public static let configuration = CommandConfiguration(
        commandName: "vitrine",
        abstract: "Run a kiosk camera and manage its photos.",
        discussion: """
              vitrine run --config vitrine.toml
              vitrine capture photo --quality 95
              vitrine library list --since 7d

            vitrine run starts the appliance. The other verbs talk to the running appliance, or \
            work without one where possible.

            Exit status: 64 wrong usage, 66 no such asset or file, 69 no appliance is running or \
            the hardware cannot do that, 70 a fault of the program, 74 input or output failed, 75 \
            impossible now, 77 not permitted, 78 bad configuration.
            """,
        version: version,
        subcommands: [
            Run.self, Status.self, Devices.self, Press.self, Capture.self, Screenshot.self,
            LibraryCommand.self, AlbumCommand.self, SyncCommand.self, CacheCommand.self,
            PlayCommand.self,
            Config.self,
            DoctorCommand.self, Logs.self, SupportBundle.self, Console.self,
        ])

    /// The version of the newest entry in `board/debian/changelog`.
    static let version = unsafe String(cString: cversion)

    /// Creates the command for the parser.
    public init() {}

    /// Runs the command that the arguments name, and exits with its status.
    public static func start() async {
        do {
            var command = try parseAsRoot(CommandLineText.arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            try flushOutput()
        } catch {
            end(with: error)
        }
    }
}
