// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import LinuxIO

/// For vitrine-console.service, which runs it as root; the appliance itself may not.
struct Console: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Whether a keyboard can leave the picture for a text console (as root).",
        shouldDisplay: false)

    enum Wish: String, ExpressibleByArgument, CaseIterable {
        case lock, unlock
    }

    @Argument(help: "lock or unlock.")
    var wish: Wish

    func run() throws {
        do {
            try VirtualConsoles.setLocked(wish == .lock)
        } catch {
            throw CommandError(
                "console.notPermitted", "\(error)", next: "Use sudo.",
                exit: error.isPermission ? .notPermitted : .io)
        }
    }
}
