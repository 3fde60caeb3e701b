// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Glibc
internal import Importing
internal import Library
internal import LibraryService
internal import LinuxIO
internal import Media

extension LibraryCommand {
    /// The command that exports assets. This process copies with the caller's permissions, because
    /// the appliance sees neither the caller's home directory nor /tmp.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy photos and videos into a directory.",
            discussion: """
                  vitrine library export /media/usb
                  vitrine library export /media/usb --name '{year}/{date} {caption}'

                Existing copies are skipped, never overwritten, so an interrupted export can be \
                run again. --update writes the current captions, keywords and ratings into \
                existing copies.

                Copies of JPEG and PNG files contain caption, keywords and rating as XMP. Other \
                files get a side-car NAME.xmp if there is something to write.

                The template of --name consists of text, folders and these fields: \(fields). The \
                extension is added automatically, and so is the sequence number unless the \
                template has {name}, {sequence} or {id}.
                """)

        private static var fields: String {
            ExportTemplate.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        }

        @Argument(help: "Directory to copy into.", completion: .directory)
        var directory: String

        @Argument(
            help: """
                Photos: ids, their first four or more characters, or sequence numbers (default: \
                all).
                """)
        var ids: [String] = []

        @Flag(help: "Copy photos as they were stored, without later rotation and crop.")
        var originals = false

        @Option(
            help: ArgumentHelp(
                "Fit photos into this size in pixels, as JPEGs; smaller ones stay as they are.",
                valueName: "WxH"), transform: Dimensions.parsed)
        var size: Dimensions?

        @Option(
            help: ArgumentHelp(
                "Template of the copies' names (default: {name}).", valueName: "template"),
            transform: template)
        var name = ExportTemplate.name

        @Flag(help: "Write manifest.jsonl, which says which asset each file is.")
        var manifest = false

        @Flag(
            help: """
                Write an XMP side-car such as NAME.jpg.xmp beside every file: caption, keywords, \
                rating, time and place.
                """)
        var sidecars = false

        @Flag(help: "Write current captions, keywords and ratings into existing copies.")
        var update = false

        @OptionGroup var access: LibraryAccess

        private static func template(_ text: String) throws -> ExportTemplate {
            do {
                return try ExportTemplate(text)
            } catch {
                throw ValidationError(error.message)
            }
        }

        /// The library is closed between two pages, so an appliance can start meanwhile. Originals
        /// never change.
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
            let line = ProgressLine(isShown: access.client.showsProgress)
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

        /// Returns the error with a remedy for the target directory if that refused the copy,
        /// otherwise with the library's remedy.
        private func explained(_ error: LibraryError, _ target: String) -> CommandError {
            guard let refusal = error.underlying as? SystemCallError,
                PathName(refusal.path).isInside(target)
            else { return CommandError(error) }
            let next =
                switch refusal.code {
                case ENOENT: "Create the folder above it, or mount the medium that it is on."
                case ENOTDIR: "Name a directory: something else has that name."
                case ENOSPC, EDQUOT: "Free some space there and run it again: copies stay."
                case EROFS: "Mount it for writing, or name another directory."
                case EACCES, EPERM: "Name a directory that you may write to."
                default: "See what the kernel says about that medium: journalctl -k"
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
            var manifest: String?
            var exported: Int
            var skipped: Int
            /// Existing copies with outdated captions, keywords or ratings.
            var outdated: Int
            /// Existing copies that received the current captions, keywords and ratings.
            var updated: Int
            var bytes: Int64
            /// The number of failures; `failures` describes the first ones.
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
                    report.updated.isEmpty ? "" : ", \(report.updated.count) updated"
                Swift.print(
                    "\(report.exported.count) exported\(updated), \(report.skipped.count) skipped"
                )
                if !report.outdated.isEmpty {
                    complain(
                        "\(report.outdated.count) skipped with outdated captions, keywords or "
                            + "ratings; --update writes the current ones"
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
