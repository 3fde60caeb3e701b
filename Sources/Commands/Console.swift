// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import LinuxIO

/// The command of vitrine-console.service, which runs it as root because the appliance is not
/// allowed to.
struct Console: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lock or unlock the keyboard's switching to text consoles (as root).",
        discussion: """
              sudo vitrine console lock
            """,
        shouldDisplay: false)

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case lock, unlock
    }

    @Argument(help: "lock or unlock.")
    var action: Action

    func run() throws {
        do {
            try VirtualConsoles.setLocked(action == .lock)
        } catch {
            throw CommandError(
                "console.notPermitted", "\(error)", next: "Use sudo.",
                exit: error.isPermission ? .notPermitted : .io)
        }
    }
}
