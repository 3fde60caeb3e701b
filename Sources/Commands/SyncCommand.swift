// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Importing
internal import Library
internal import LibraryService
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
        subcommands: [
            Now.self, Status.self, Pause.self, Resume.self, Verify.self, Retry.self, Ledger.self,
            Manifest.self, SyncRun.self,
        ])

    struct Now: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send everything that waits, and verify it.",
            discussion: """
                  vitrine sync now --json

                The command returns when everything that waited is verified or has failed. The \
                exit status is 74 if something failed; it is tried again by the next run. The \
                service sends if it runs, even while it is paused; otherwise this process does.
                """)

        @OptionGroup var options: SyncOptions

        func run() async throws {
            let summary = try await options.use { ledger, remote, settings in
                try await ledger.retryFailed(for: remote)
                let bar = ProgressLine(isShown: options.access.client.showsProgress)
                defer { bar.end() }
                let before = try await ledger.syncProgress(of: remote)
                // Each original has a side-car.
                let total = max(2 * before.pending, before.pending + before.pendingRecords)
                let show: @Sendable (SyncSummary) -> Void = {
                    bar.show($0.verified, of: max(total, $0.verified))
                }
                if let running = ledger as? RemoteLibrary, try running.syncService().isThere {
                    return try await running.runSync(progress: show)
                }
                return try await SyncPass(
                    ledger: ledger, remote: remote,
                    rclone: Rclone(
                        settings, remote, configuration: settings.rcloneConfiguration),
                    settings: settings, records: recordFolder(),
                    foreign: MediaInspector.withSystemPrograms(), progress: show
                ).run()
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
            abstract: "Print what waits, what the service does, and what failed last.",
            discussion: """
                  vitrine sync status --json
                """)

        @OptionGroup var options: SyncOptions

        /// The keys of `sync` in `vitrine status --json`, and what only the ledger knows.
        private struct Report: Encodable {
            let sync: StatusReport.Sync
            let progress: SyncProgress
            let remote: String

            private enum CodingKeys: CodingKey { case remote, pendingRecords, failed }

            func encode(to encoder: any Encoder) throws {
                try sync.encode(to: encoder)
                var values = encoder.container(keyedBy: CodingKeys.self)
                try values.encode(remote, forKey: .remote)
                try values.encode(progress.pendingRecords, forKey: .pendingRecords)
                try values.encode(progress.failed, forKey: .failed)
            }
        }

        func run() async throws {
            let report = try await options.use { ledger, remote, _ in
                let progress = try await ledger.syncProgress(of: remote)
                var service = SyncServiceReport(.stopped)
                if let running = ledger as? RemoteLibrary { service = try running.syncService() }
                service.failure = service.failure ?? progress.lastFailure
                return Report(
                    sync: StatusReport.Sync(remote, progress.backlog, service),
                    progress: progress, remote: remote.description)
            }
            if options.access.client.json { return print(try jsonLine(report)) }
            print("remote   \(oneLine(report.remote))")
            print("sync     \(report.sync.line)")
            if report.progress.failed > 0 { print("failed   \(report.progress.failed) objects") }
            if let error = report.sync.lastError {
                print("error    \(error.code): \(oneLine(error.message))")
                print("         next: \(oneLine(error.next))")
            }
        }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let the service send nothing, also after a restart.",
            discussion: """
                  vitrine sync pause

                A run that is under way stops at once. vitrine sync now still sends.
                """)

        @OptionGroup var options: SyncOptions

        func run() async throws {
            try await options.use { ledger, remote, _ in
                try await ledger.setSyncPaused(true, of: remote)
            }
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let the service send again.",
            discussion: """
                  vitrine sync resume
                """)

        @OptionGroup var options: SyncOptions

        func run() async throws {
            try await options.use { ledger, remote, _ in
                try await ledger.setSyncPaused(false, of: remote)
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
                try await SyncCheck(
                    ledger: ledger, remote: remote,
                    rclone: Rclone(
                        settings, remote, configuration: settings.rcloneConfiguration)
                ).run(deep: deep, since: since?.time.nanoseconds) { key, failure in
                    count += 1
                    let wrong = Wrong(key: key, code: failure.code, message: failure.message)
                    let line = options.access.client.json ? try? jsonLine(wrong) : nil
                    print(line ?? oneLine(failure.message))
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
                try await ledger.forEachEntry(of: remote) { entry in
                    print(
                        options.access.client.json
                            ? try jsonLine(entry) : "\(entry.state.rawValue)  \(entry.key)")
                }
            }
        }
    }

    struct Manifest: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what the remote is proven to have, one JSON object per line.",
            discussion: """
                  vitrine sync manifest > kiosk.ndjson

                Each line has device, asset, kind, key, bytes, sha256 and verifiedAt: the form of \
                the manifests at the remote, of all days, as databases and data lakes read it.
                """)

        @OptionGroup var options: SyncOptions

        private struct Line: Encodable {
            let device: String
            let asset: String?
            let kind: SyncObject.Kind
            let key: String
            let bytes: Int64
            let sha256: String
            let verifiedAt: WallTime?
        }

        func run() async throws {
            try await options.use { ledger, remote, _ in
                try await ledger.forEachEntry(of: remote) { entry in
                    guard let object = SyncObject(checking: entry) else { return }
                    print(
                        try jsonLine(
                            Line(
                                device: remote.device,
                                asset: object.kind == .manifest
                                    ? nil : SyncObject.asset(ofKey: object.key), kind: object.kind,
                                key: object.key, bytes: object.bytes, sha256: object.sha256,
                                verifiedAt: entry.verifiedAt.map(WallTime.init(here:)))))
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

extension SyncLedger {
    /// Calls `body` for each object of the ledger, in the order of their keys.
    fileprivate func forEachEntry(
        of remote: SyncRemote, _ body: (SyncEntry) throws -> Void
    ) async throws {
        var last = ""
        while true {
            let entries = try await syncEntries(of: remote, after: last, limit: 500)
            guard let end = entries.last else { return }
            last = end.key
            for entry in entries { try body(entry) }
        }
    }
}

/// Returns a new folder's path for originals on their way back.
func stagingFolder() -> String { ownFolder(in: FileManager.default.temporaryDirectory.path) }

/// Returns a new folder's path for renditions, side-cars and manifests on their way: in memory if
/// there is such a place (systemd.exec(5), RuntimeDirectory=; shm_overview(7)).
func recordFolder() -> String {
    let given = environmentVariables()["RUNTIME_DIRECTORY"]?.split(separator: ":").first
    let places = [given.map(String.init), "/dev/shm"].compactMap(\.self)
    let place = places.first { (try? FileTree.requireWritable($0)) != nil }
    return ownFolder(in: place ?? FileManager.default.temporaryDirectory.path)
}

private let ownPrefix = "vitrine-sync-"

/// Returns a new folder's path, which nobody can guess.
private func ownFolder(in place: String) -> String {
    removeLeftovers(in: place)
    removeLeftovers(in: FileManager.default.temporaryDirectory.path)
    return "\(place)/\(ownPrefix)\(ProcessInfo.processInfo.processIdentifier)-\(UUID())"
}

/// Removes the files of processes that were killed.
private func removeLeftovers(in place: String) {
    for name in (try? FileTree.names(in: place)) ?? [] where name.hasPrefix(ownPrefix) {
        let process = name.dropFirst(ownPrefix.count).prefix { $0 != "-" }
        if let process = Int32(process), !PeerCredentials.isAlive(process) {
            try? FileManager.default.removeItem(atPath: "\(place)/\(name)")
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
        guard let remote = SyncRemote(settings) else {
            throw CommandError(
                "sync.noDevice", "this machine has no id",
                next: "Name the kiosk in the configuration: [sync] device_id = \"entrance\"",
                exit: .configuration)
        }
        do {
            if let running = try access.running() {
                return try await body(running, remote, settings)
            }
            return try await access.opened { try await body($0, remote, settings) }
        } catch let failure as SyncFailure {
            throw CommandError(failure)
        }
    }
}
