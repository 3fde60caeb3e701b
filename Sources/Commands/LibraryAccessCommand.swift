// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Verbs
internal import Library
internal import Settings

extension LibraryCommand {
    struct Access: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what you may do with the library.",
            discussion: """
                  vitrine library access --json

                Each right is authorized, limited (to the photos of the current visit), \
                notDetermined (there is no visit, or no library yet), restricted (nobody may now) \
                or denied. [access] of the configuration sets the rights. If no appliance is \
                running, the permissions of the files decide.
                """)

        @OptionGroup var access: LibraryAccess

        func run() throws {
            let report = try access.running().map { try $0.access() } ?? ofFiles()
            if access.client.json { return print(try jsonLine(report)) }
            print(
                report.role.map { "your role is \($0.rawValue)" }
                    ?? "no appliance is running: the permissions of the files decide")
            let levels = [
                ("add", report.addOnly), ("look", report.read), ("change", report.readWrite),
            ]
            for (level, status) in levels { print("\(level)\t\(status.rawValue)") }
        }

        private func ofFiles() throws -> LibraryAccessReport {
            let path = try access.configuration.load().library.path
            func status(_ level: LibraryAccessLevel) -> AuthorizationStatus {
                AssetLibrary.authorizationStatus(for: level, at: path)
            }
            return LibraryAccessReport(
                role: nil, addOnly: status(.addOnly), read: status(.read),
                readWrite: status(.readWrite))
        }
    }
}
