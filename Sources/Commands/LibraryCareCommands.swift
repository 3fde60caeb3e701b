// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Library

extension LibraryCommand {
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that all files and rows of the library are present and intact.",
            discussion: """
                  vitrine library verify --deep

                The check changes nothing, and photos can be taken meanwhile. With --json each \
                finding is one line. The exit status is 74 if something is wrong; vitrine library \
                repair says what can be done.
                """)

        @Flag(help: "Also read every original and compare its hash.")
        var deep = false

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            let verification = try await access.use { library in
                try await verified(library, deep: deep, access)
            }
            if access.client.json {
                for finding in verification.findings { print(try jsonLine(finding)) }
            } else {
                for finding in verification.findings { print(oneLine(finding.message)) }
                print(
                    "\(verification.assets) assets and \(verification.files) files, "
                        + "\(verification.bytesRead / 1_000_000) MB read: "
                        + "\(verification.findings.count) findings")
            }
            if !verification.findings.isEmpty { throw ExitCode(ExitStatus.io.rawValue) }
        }
    }

    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the number and size of assets, and the free space.",
            discussion: """
                  vitrine library stats --json
                """)

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            let line = try jsonLine(try await access.use { try await $0.statistics() })
            if access.client.json {
                print(line)
            } else {
                try AssetTable().printDetails(line)
            }
        }
    }
}

func verified(
    _ library: any AssetSource, deep: Bool, _ access: LibraryAccess
) async throws -> LibraryVerification {
    let line = ProgressLine(isShown: access.client.showsProgress)
    defer { line.end() }
    return try await library.verify(deep: deep) { line.show($0, of: $1) }
}
