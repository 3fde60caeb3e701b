// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import Library
internal import Settings

extension LibraryCommand {
    struct Access: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "What you may do with the library.",
            discussion: """
                authorized, limited (to the photos of the visit that is going on), notDetermined (nobody is \
                there, or there is no library yet), restricted (nobody may now) or denied. [access] of the \
                configuration says who may what; where no appliance runs, the files' own rights do.
                """)

        @OptionGroup var access: LibraryAccess

        func run() throws {
            let report = try access.running().map { try $0.access() } ?? ofFiles()
            if access.client.json { return print(try jsonLine(report)) }
            print(
                report.role.map { "you are here as \($0.rawValue)" }
                    ?? "no appliance runs: this is what the files' rights let you do")
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
