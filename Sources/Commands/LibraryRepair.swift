// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Library

extension LibraryCommand {
    struct Repair: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put right what verify finds, without losing anything.",
            discussion: """
                Says what it would do, and does it with --yes or when asked on a terminal. Each thing is \
                looked at again first. What is in the way goes to the library's folder quarantine/; \
                only thumbnails are deleted, which are made again. In the place of a damaged database \
                comes the same with its indexes made anew, or the newest snapshot that is whole.
                """)

        @Flag(help: "Do not ask.")
        var yes = false

        @Flag(help: "Only say what would be done.")
        var dryRun = false

        @Flag(help: "Also read every original and compare its hash.")
        var deep = false

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            var findings = try await find()
            if findings.contains(where: { $0.kind == .database }) {
                try show(findings)
                if dryRun { throw ExitCode(ExitStatus.io.rawValue) }
                if !yes { try confirm("Put the best copy of the database in its place?") }
                try show(try await access.salvage())
                findings = try await find()
            }
            let plan = findings.filter { $0.repair != nil }
            try show(findings)
            var failures = findings.count - plan.count
            if !plan.isEmpty && !dryRun {
                if !yes { try confirm("Do these \(plan.count) things?") }
                let outcomes = try await access.use { try await $0.repair(plan) }
                try show(outcomes)
                failures += outcomes.filter { $0.result == .failed }.count
            }
            if failures > 0 { throw ExitCode(ExitStatus.io.rawValue) }
        }

        /// A database that cannot even be opened is a finding like others.
        private func find() async throws -> [LibraryFinding] {
            do {
                return try await access.use { library in
                    try await verified(library, deep: deep, access).findings
                }
            } catch let error as LibraryError where error.code == .damaged {
                return [LibraryFinding(damagedDatabase: error.message)]
            }
        }

        private func show(_ report: SalvageReport?) throws {
            if access.client.json {
                print(try jsonLine(["salvage": report]))
            } else {
                let done = report.map { "done: \($0.summary)" }
                print(oneLine("database: \(done ?? "left: it is whole now")"))
            }
            try flushOutput()
        }

        private func show(_ findings: [LibraryFinding]) throws {
            for finding in findings {
                if access.client.json {
                    if dryRun { print(try jsonLine(finding)) }
                } else {
                    let plan =
                        finding.kind == .database
                        ? "put the best copy that there is in its place"
                        : finding.repair.map(\.plan) ?? "nothing; see the README on repairs"
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

        private func confirm(_ question: String) throws {
            guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
                throw ValidationError("nobody can be asked here: give --yes, or --dry-run to look")
            }
            writeToStandardError("\(question) Type yes: ")
            guard readLine() == "yes" else {
                throw CommandError("library.kept", "nothing was changed", exit: .temporary)
            }
        }
    }
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
