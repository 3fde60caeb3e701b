// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Library

extension LibraryCommand {
    struct Repair: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Repair what verify finds, without losing anything.",
            discussion: """
                  vitrine library repair --dry-run

                The command prints its plan, and carries it out with --yes or after a question on \
                the terminal. It checks each finding again first. Files in the way move to the \
                library's folder quarantine/; only thumbnails are deleted, and made again. A \
                damaged database gets new indexes, or is replaced by the newest intact snapshot.
                """)

        @Flag(help: "Do not ask.")
        var yes = false

        @Flag(help: "Only print what would be done.")
        var dryRun = false

        @Flag(help: "Also read every original and compare its hash.")
        var deep = false

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            var findings = try await find()
            if findings.contains(where: { $0.kind == .database }) {
                try show(findings)
                if dryRun { throw ExitCode(ExitStatus.io.rawValue) }
                if !yes { try confirm("Replace the database with the best copy?") }
                try show(try await access.salvage())
                findings = try await find()
            }
            let plan = findings.filter { $0.repair != nil }
            try show(findings)
            var failures = findings.count - plan.count
            if !plan.isEmpty && !dryRun {
                if !yes { try confirm("Make these \(plan.count) repairs?") }
                let outcomes = try await access.use { try await $0.repair(plan) }
                try show(outcomes)
                failures += outcomes.filter { $0.result == .failed }.count
            }
            if failures > 0 { throw ExitCode(ExitStatus.io.rawValue) }
        }

        /// Returns the findings. A database that cannot be opened is a finding, too.
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
                print(oneLine("database: \(done ?? "left: it is intact now")"))
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
                        ? "replace it with the best copy"
                        : finding.repair.map(\.plan)
                            ?? "no repair; see /usr/share/doc/vitrine/reference/findings.md"
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
                throw ValidationError("nobody can confirm this here: give --yes or --dry-run")
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
        case .adopt: "add it to the library"
        case .restore: "restore the good copy"
        case .quarantine: "move it to quarantine/"
        case .recount: "count again"
        case .remake: "delete it, to be made again"
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
