// SPDX-License-Identifier: GPL-3.0-or-later

public import ArgumentParser

/// The command line.
public struct Vitrine: AsyncParsableCommand {
    /// What `vitrine --help` says, and the verbs.
    public static let configuration = CommandConfiguration(
        commandName: "vitrine",
        abstract: "A camera kiosk: a press of the button becomes a photo.",
        discussion: """
            `vitrine run` is the appliance; every other verb talks to it, or does its work alone where \
            that is possible. Exit status: 64 wrong usage, 66 no such asset or file, 69 the appliance \
            is not running, 70 a fault of the program, 74 input/output, 75 impossible now, 77 not \
            permitted, 78 bad configuration.
            """,
        version: version,
        subcommands: [
            Run.self, Status.self, Devices.self, Press.self, Capture.self, Screenshot.self,
            LibraryCommand.self, AlbumCommand.self, Config.self, DoctorCommand.self, Logs.self,
            SupportBundle.self, Console.self,
        ])

    static let version = "0.1.0"

    /// For the parser: there is nothing to set.
    public init() {}

    /// Runs the command that the arguments name and ends the process with its exit status.
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
