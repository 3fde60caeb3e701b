// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Glibc
internal import Importing
internal import Library
internal import LinuxIO
internal import Media

extension LibraryCommand {
    /// Copies in this process, with the caller's rights: the appliance's own see neither the caller's
    /// home nor its /tmp.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy photos and videos into a directory: all, or those that are named.",
            discussion: """
                No picture is overwritten; what is there already is left out, so that a broken-off export \
                can simply be run again. --update gives copies that are there already the captions, keywords and \
                ratings of now.

                Copies of JPEG and PNG files carry caption, keywords and rating as XMP; other files get a side-car \
                NAME.xmp where there is something to say.

                A name is made of text and of \(fields), and of folders: \
                --name '{year}/{month}/{date} {caption}'. The extension comes of itself; where nothing \
                in it tells two photos apart, the sequence is put to its end.
                """)

        private static var fields: String {
            ExportTemplate.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        }

        @Argument(help: "The directory.", completion: .directory)
        var directory: String

        @Argument(help: "Ids; none for all.")
        var ids: [String] = []

        @Flag(help: "Photos as they were stored, not as they were turned and cut since.")
        var originals = false

        @Option(
            help: ArgumentHelp(
                "Photos that fit into so many pixels, as JPEGs; smaller ones stay as they are.",
                valueName: "WxH"), transform: Dimensions.parsed)
        var size: Dimensions?

        @Option(
            help: ArgumentHelp(
                "How the copies are named (default: {name}).", valueName: "template"),
            transform: template)
        var name = ExportTemplate.name

        @Flag(help: "Write manifest.jsonl into the directory: which asset each file is.")
        var manifest = false

        @Flag(
            help:
                "Write an XMP side-car beside every file, such as NAME.jpg.xmp: caption, keywords, rating, time, place."
        )
        var sidecars = false

        @Flag(help: "Write new words into copies that are there already.")
        var update = false

        @OptionGroup var access: LibraryAccess

        private static func template(_ text: String) throws -> ExportTemplate {
            do {
                return try ExportTemplate(text)
            } catch {
                throw ValidationError(error.message)
            }
        }

        /// Between two pages nobody has the library open: originals never change, and an appliance can start
        /// meanwhile.
        func run() async throws {
            let target = absolute(directory)
            var list = try await access.use {
                try await ExportList(ids.isEmpty ? nil : ids, from: $0)
            }
            let report = try await copy(list.total, to: target) {
                if list.isAtEnd { return nil }
                return try await LibraryHandover.outlast {
                    try await access.use { try await list.next(from: $0) }
                }
            }
            try print(report, target)
        }

        private func copy(
            _ total: Int, to target: String, _ nextPage: () async throws -> [ExportItem]?
        ) async throws -> ExportReport {
            let line = ProgressLine(isShown: !access.client.json && isatty(STDERR_FILENO) == 1)
            defer { line.end() }
            do {
                let options = ExportOptions(
                    version: originals ? .original : .current, fitting: size, template: name,
                    writesManifest: manifest, writesSidecars: sidecars, updatesWords: update)
                let exporter = AssetExporter(
                    to: target, options, foreign: MediaInspector.withSystemPrograms())
                return try await exporter.run(
                    total: total, progress: { line.show($0) }, nextPage)
            } catch let error as LibraryError {
                throw explained(error, target)
            }
        }

        /// What the target refuses has other remedies than the library's own.
        private func explained(_ error: LibraryError, _ target: String) -> CommandError {
            guard let refusal = error.underlying as? SystemCallError,
                PathName(refusal.path).isInside(target)
            else { return CommandError(error) }
            let next =
                switch refusal.code {
                case ENOENT: "Make the folder above it, or mount the medium that it is on."
                case ENOTDIR: "Name a directory: something else has that name."
                case ENOSPC, EDQUOT: "Make room there and run it again: what is copied stays."
                case EROFS: "Mount it for writing, or name another directory."
                case EACCES, EPERM: "Name a directory that you may write to."
                default: "Look what the kernel says of that medium: journalctl -k"
                }
            return CommandError(
                "export.\(error.code.rawValue)", error.message, next: next,
                exit: ExitStatus(rawValue: CommandError(error).exitCode) ?? .io)
        }

        private func absolute(_ path: String) -> String {
            if path.hasPrefix("/") { return path }
            return FileManager.default.currentDirectoryPath + "/" + path
        }

        private struct Outcome: Encodable {
            struct Failure: Encodable {
                var name: String
                var code: String
                var message: String
                var next: String
            }
            var directory: String
            /// The manifest's path, where one was asked for.
            var manifest: String?
            var exported: Int
            var skipped: Int
            /// Copies that are there already with older words.
            var outdated: Int
            /// Copies that were there already and have new words.
            var updated: Int
            var bytes: Int64
            /// How many; `failures` names the first.
            var failed: Int
            var failures: [Failure]
        }

        private func print(_ report: ExportReport, _ target: String) throws {
            if access.client.json {
                let failures = report.failures.named.map {
                    let error = explained($0.error, target)
                    return Outcome.Failure(
                        name: $0.name, code: error.code, message: error.message, next: error.next)
                }
                Swift.print(
                    try jsonLine(
                        Outcome(
                            directory: target, manifest: report.manifest,
                            exported: report.exported.count, skipped: report.skipped.count,
                            outdated: report.outdated.count, updated: report.updated.count,
                            bytes: report.bytes, failed: report.failures.count,
                            failures: failures)))
            } else {
                let updated =
                    report.updated.isEmpty ? "" : ", \(report.updated.count) with new words"
                Swift.print(
                    "\(report.exported.count) exported\(updated), \(report.skipped.count) there already"
                )
                if !report.outdated.isEmpty {
                    complain(
                        "\(report.outdated.count) there already with older words; --update writes the new ones"
                    )
                }
                for failure in report.failures.named {
                    complain("\(failure.name): \(explained(failure.error, target).line)")
                }
                let rest = report.failures.count - report.failures.named.count
                if rest > 0 { complain("and \(rest) more") }
            }
            if report.failures.isEmpty { return }
            let areUnknown = report.unknown == report.failures.count
            throw ExitCode((areUnknown ? ExitStatus.noInput : .io).rawValue)
        }
    }
}
