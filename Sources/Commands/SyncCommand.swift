// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Library
internal import LinuxIO
internal import Settings
internal import Sync

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send photos and videos to a remote, with proof.",
        discussion: """
              vitrine sync now

            The remote is that of [sync] in the configuration: a folder, or any remote of rclone. \
            An original counts as verified only if the remote has its bytes.
            """,
        subcommands: [Now.self, Status.self, Retry.self])

    struct Now: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send everything that waits, and verify it.",
            discussion: """
                  vitrine sync now --json

                The command returns when everything that waited is verified or has failed. The \
                exit status is 74 if something failed; it is tried again by the next call.
                """)

        @OptionGroup var options: SyncOptions

        func run() async throws {
            let summary = try await options.use { ledger, remote, settings in
                try await ledger.retryFailed(for: remote)
                let before = try await ledger.syncProgress(of: remote)
                let bar = ProgressLine(isShown: options.access.client.showsProgress)
                let staging = FileManager.default.temporaryDirectory.path
                let pass = SyncPass(
                    ledger: ledger, remote: remote,
                    rclone: Rclone(
                        location: settings.remote, configuration: settings.rcloneConfiguration,
                        kilobitsPerSecond: settings.kilobitsPerSecond),
                    deletion: DeletionPolicy(rawValue: settings.deletion.rawValue) ?? .keep,
                    staging: "\(staging)/vitrine-sync-\(ProcessInfo.processInfo.processIdentifier)"
                ) { summary in
                    bar.show(summary.verified, of: max(before.pending, summary.verified))
                }
                defer { bar.end() }
                return try await pass.run()
            }
            if options.access.client.json {
                print(try jsonLine(summary))
            } else {
                print(
                    "\(summary.verified) verified, \(summary.bytes / 1_000_000) MB; "
                        + "\(summary.failed) failed")
            }
            guard let failure = summary.failure ?? summary.lastFailure else { return }
            throw CommandError(failure.code, failure.message, next: failure.next, exit: .io)
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what waits, and what failed last.",
            discussion: """
                  vitrine sync status --json
                """)

        @OptionGroup var options: SyncOptions

        func run() async throws {
            let progress = try await options.use { ledger, remote, _ in
                try await ledger.syncProgress(of: remote)
            }
            if options.access.client.json { return print(try jsonLine(progress)) }
            print(
                "\(progress.pending) waiting, \(progress.bytesPending / 1_000_000) MB; "
                    + "\(progress.failed) failed")
            if let failure = progress.lastFailure {
                print(oneLine(failure.message))
                print("next: \(oneLine(failure.next))")
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Try what failed again at the next opportunity, without a delay.",
            discussion: """
                  vitrine sync retry
                """)

        @OptionGroup var options: SyncOptions

        func run() async throws {
            try await options.use { ledger, remote, _ in
                try await ledger.retryFailed(for: remote)
            }
        }
    }
}

/// The ledger of the running appliance, or of the library that this process opens.
struct SyncOptions: ParsableArguments {
    @OptionGroup var access: LibraryAccess

    func use<Value>(
        _ body: (any SyncLedger, SyncRemote, SyncSettings) async throws -> Value
    ) async throws -> Value {
        let settings = try access.configuration.load().sync
        guard !settings.remote.isEmpty else {
            throw CommandError(
                "sync.noRemote", "no remote is configured",
                next: "Name one in the configuration: [sync] remote = \"/media/backup\"",
                exit: .configuration)
        }
        let remote = SyncRemote(
            location: settings.remote, device: try settings.deviceID ?? Self.machineID())
        if let running = try access.running() {
            return try await body(running, remote, settings)
        }
        return try await access.opened { try await body($0, remote, settings) }
    }

    /// Returns a name that is the same at every start of this machine, and does not tell its id.
    private static func machineID() throws(CommandError) -> String {
        guard let text = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8),
            text.count > 30
        else {
            throw CommandError(
                "sync.noDevice", "this machine has no id",
                next: "Name the kiosk in the configuration: [sync] device_id = \"entrance\"",
                exit: .configuration)
        }
        return "kiosk-"
            + (FileHash.hashes(of: Data("vitrine \(text)".utf8), [.sha256])[.sha256] ?? "").prefix(
                12)
    }
}
