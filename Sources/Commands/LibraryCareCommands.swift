// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Library

extension LibraryCommand {
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Look whether everything is there and as it was stored.",
            discussion: """
                Changes nothing; photos are taken meanwhile. With --json each finding is one line. \
                Status 74 when something is wrong: vitrine library repair tells what can be done.
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

    struct Repair: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put right what verify finds, without losing anything.",
            discussion: """
                Says what it would do, and does it with --yes or when asked on a terminal. Each thing is \
                looked at again first. What is in the way goes to the library's folder quarantine/; \
                only thumbnails are deleted, which are made again.
                """)

        @Flag(help: "Do not ask.")
        var yes = false

        @Flag(help: "Only say what would be done.")
        var dryRun = false

        @Flag(help: "Also read every original and compare its hash.")
        var deep = false

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            let failures = try await access.use { library in
                let findings = try await verified(library, deep: deep, access).findings
                let plan = findings.filter { $0.repair != nil }
                try show(findings)
                if plan.isEmpty || dryRun { return findings.count - plan.count }
                if !yes { try confirm(plan.count) }
                let outcomes = try await library.repair(plan)
                try show(outcomes)
                return findings.count - plan.count + outcomes.filter { $0.result == .failed }.count
            }
            if failures > 0 { throw ExitCode(ExitStatus.io.rawValue) }
        }

        private func show(_ findings: [LibraryFinding]) throws {
            for finding in findings {
                if access.client.json {
                    if dryRun { print(try jsonLine(finding)) }
                } else {
                    let plan = finding.repair.map(\.plan) ?? "nothing; see the README on repairs"
                    let source = finding.source.map { " from \($0)" } ?? ""
                    print(oneLine("\(finding.message): \(plan)\(source)"))
                }
            }
            if !access.client.json && findings.isEmpty { print("nothing to repair") }
            try flushOutput()
        }

        private func show(_ outcomes: [RepairOutcome]) throws {
            for outcome in outcomes {
                if access.client.json {
                    print(try jsonLine(outcome))
                } else {
                    let place = outcome.finding.path ?? "database"
                    print(oneLine("\(place): \(outcome.result.word): \(outcome.message)"))
                }
            }
        }

        private func confirm(_ count: Int) throws {
            guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
                throw ValidationError("nobody can be asked here: give --yes, or --dry-run to look")
            }
            writeToStandardError("Do these \(count) things? Type yes: ")
            guard readLine() == "yes" else {
                throw CommandError("library.kept", "nothing was changed", exit: .temporary)
            }
        }
    }

    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "How much there is, and how much room is left.")

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

private func verified(
    _ library: any AssetSource, deep: Bool, _ access: LibraryAccess
) async throws -> LibraryVerification {
    let line = ProgressLine(isShown: !access.client.json && isatty(STDERR_FILENO) == 1)
    defer { line.end() }
    return try await library.verify(deep: deep) { line.show($0, of: $1) }
}

extension LibraryFinding.Repair {
    fileprivate var plan: String {
        switch self {
        case .adopt: "take it in as an asset"
        case .restore: "put back the good copy"
        case .quarantine: "move it to quarantine/"
        case .recount: "count again"
        case .remake: "take it away, to be made again"
        }
    }
}

extension RepairOutcome.Result {
    fileprivate var word: String {
        switch self {
        case .repaired: "done"
        case .goneMeanwhile: "left"
        case .failed: "FAILED"
        }
    }
}
