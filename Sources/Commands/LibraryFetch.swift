// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Library
internal import Settings
internal import Sync

extension LibraryCommand {
    struct Fetch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Bring originals back that only the remote has.",
            discussion: """
                  vitrine library fetch 12 13

                Each file is checked against its hash before it is in its place again. Originals \
                that are here stay as they are. The service vitrine-sync fetches if it runs; \
                otherwise this process does.
                """)

        @Argument(help: "Ids, their first four or more characters, or sequence numbers.")
        var ids: [String]

        @OptionGroup var options: SyncOptions

        private struct Fetched: Encodable {
            let id: String
            let bytes: Int64
        }

        func run() async throws {
            try await options.use { ledger, remote, settings in
                let bar = ProgressLine(isShown: options.access.client.showsProgress)
                defer { bar.end() }
                for (number, id) in ids.enumerated() {
                    bar.show(number, of: ids.count)
                    let bytes: Int64
                    if let running = ledger as? RemoteLibrary, try running.syncService().isThere {
                        bytes = try running.fetch(id)
                    } else {
                        let rclone = Rclone(
                            settings, remote, configuration: settings.rcloneConfiguration)
                        bytes = try await SyncReturner(
                            ledger: ledger, remote: remote, rclone: rclone,
                            staging: stagingFolder()
                        ).bringBack(id)
                    }
                    if options.access.client.json {
                        print(try jsonLine(Fetched(id: id, bytes: bytes)))
                    } else {
                        bar.end()
                        print(bytes > 0 ? "\(id): \(bytes / 1000) kB came back" : "\(id): is here")
                    }
                }
            }
        }
    }
}
