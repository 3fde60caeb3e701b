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
        subcommands: [Now.self, Status.self, Verify.self, Retry.self, Ledger.self])

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
                    rclone: Rclone(settings),
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
            throw CommandError(failure)
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

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check again that the remote has what was verified before.",
            discussion: """
                  vitrine sync verify --deep

                What is missing or differs is named, and queued to be sent again; the exit status \
                is then 74. With --json each such object is one line.
                """)

        @Flag(help: "Read every object back, even if the remote has a hash.")
        var deep = false

        @Option(help: "Only what was verified since then, such as 7d or 2026-11-29.")
        var since: Moment?

        @OptionGroup var options: SyncOptions

        private struct Wrong: Encodable {
            let key: String
            let code: String
            let message: String
        }

        func run() async throws {
            var count = 0
            let checked = try await options.use { ledger, remote, settings in
                do {
                    return try await SyncCheck(
                        ledger: ledger, remote: remote, rclone: Rclone(settings)
                    ).run(deep: deep, since: since?.time.nanoseconds) { key, failure in
                        count += 1
                        let wrong = Wrong(key: key, code: failure.code, message: failure.message)
                        let line = options.access.client.json ? try? jsonLine(wrong) : nil
                        print(line ?? oneLine(failure.message))
                    }
                } catch let failure as SyncFailure {
                    throw CommandError(failure)
                }
            }
            if !options.access.client.json { print("\(checked) checked, \(count) wrong") }
            if count > 0 { throw ExitCode(ExitStatus.io.rawValue) }
        }
    }

    struct Ledger: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print every object and how far it is.",
            discussion: """
                  vitrine sync ledger --json
                """)

        @OptionGroup var options: SyncOptions

        func run() async throws {
            try await options.use { ledger, remote, _ in
                var last = ""
                while true {
                    let entries = try await ledger.syncEntries(of: remote, after: last, limit: 500)
                    guard let end = entries.last else { return }
                    last = end.key
                    for entry in entries {
                        print(
                            options.access.client.json
                                ? try jsonLine(entry)
                                : "\(entry.state.rawValue)  \(entry.key)")
                    }
                }
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

extension CommandError {
    fileprivate init(_ failure: SyncFailure) {
        self.init(failure.code, failure.message, next: failure.next, exit: .io)
    }
}

extension Rclone {
    fileprivate init(_ settings: SyncSettings) {
        self.init(
            location: settings.remote, configuration: settings.rcloneConfiguration,
            kilobitsPerSecond: settings.kilobitsPerSecond)
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
