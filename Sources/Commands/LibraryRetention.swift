// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Importing
internal import Library
internal import LibraryService
internal import Settings

extension LibraryCommand {
    struct Retention: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what the retention rules remove, and why.",
            discussion: """
                  vitrine library retention --apply

                The rules are deleted_days, retention_days, retention_assets, retention_free_mb \
                and require_sync of [library]. The appliance applies them once an hour. Favourites \
                stay.
                """)

        @Flag(help: "Remove it now.")
        var apply = false

        @Flag(help: "Only print what would be removed, as without --apply.")
        var dryRun = false

        @OptionGroup var access: LibraryAccess

        func validate() throws {
            if apply && dryRun { throw ValidationError("give --apply or --dry-run, not both") }
        }

        func run() async throws {
            let report =
                if let library = try access.running() {
                    try await library.retention(apply: apply)
                } else {
                    try await alone()
                }
            if access.client.json { return print(try jsonLine(report)) }
            var table = TextTable([
                .init(heading: "number", alignsRight: true, weight: 4),
                .init(heading: "size", alignsRight: true, weight: 1),
                .init(heading: "why", weight: 3), .init(heading: "file", shortest: 12, weight: 2),
            ])
            table.print(
                report.items.map { item in
                    [
                        "\(item.sequence)", "\(item.bytes / 1000) kB",
                        item.isEviction
                            ? "\(item.reason.words), the remote has it" : item.reason.words,
                        oneLine(item.fileName),
                    ]
                })
            if report.count > report.items.count {
                print("and \(report.count - report.items.count) more")
            }
            print(
                "\(report.count) \(apply ? "removed" : "would be removed"), "
                    + "\(report.bytes / 1_000_000) MB; of these, the remote has "
                    + "\(report.evicted)")
            if report.waitingForSync > 0 {
                print("\(report.waitingForSync) stay, because no remote has them: see require_sync")
            }
            if report.isWaitingForClock {
                print("nothing is removed by age, because the clock may be wrong")
            }
        }

        private func alone() async throws -> RetentionReport {
            let settings = try access.configuration.load()
            let policy = RetentionPolicy(settings.library, settings.sync)
            return try await access.opened { library in
                apply
                    ? try await library.applyRetention(
                        policy,
                        foreign: MediaInspector.withSystemPrograms(
                            megabytes: settings.library.pictureMemoryMegabytes))
                    : try await library.retention(policy)
            }
        }
    }
}

extension RetentionReason {
    fileprivate var words: String {
        switch self {
        case .deleted: "deleted long enough ago"
        case .age: "too old"
        case .count: "too many"
        case .space: "too little space"
        }
    }
}
