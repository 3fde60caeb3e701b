// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import Library

extension LibraryCommand {
    struct Access: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "What you may do with the running appliance's library.",
            discussion: """
                authorized, limited (to the photos of the visit that is going on), notDetermined (nobody is \
                there), restricted (nobody may now) or denied. [access] of the configuration says who may what; \
                where no appliance runs, the files' own rights do.
                """)

        @OptionGroup var client: ClientOptions

        func run() throws {
            let report: LibraryAccessReport = try client.connect().request("library.access")
            if client.json { return print(try jsonLine(report)) }
            print("you are here as \(report.role.rawValue)")
            let levels = [
                ("add", report.addOnly), ("look", report.read), ("change", report.readWrite),
            ]
            for (level, status) in levels { print("\(level)\t\(status.rawValue)") }
        }
    }
}
