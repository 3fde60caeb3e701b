// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Importing
internal import Library
internal import LibraryService
internal import LinuxIO

extension LibraryCommand {
    /// The command that imports files. This process reads and copies them with the caller's
    /// permissions; the appliance adds the copies to the library.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import photos and videos from files and folders.",
            discussion: """
                  vitrine library import /media/sdcard/DCIM

                Import recognises JPEG, PNG, HEIF, AVIF, MP4, MOV and MKV by content, and checks \
                each file first. A camera's RAW is imported beside the JPEG of the same name. \
                Captions, keywords and ratings are read from XMP and IPTC, also from side-cars \
                NAME.xmp.

                Files that the library has already are named and skipped, so an interrupted import \
                can be run again. Ctrl-C leaves nothing half imported. The files stay where they \
                are.
                """)

        @Argument(
            help: "Files, and folders with everything in them.", completion: .file())
        var paths: [String]

        @Option(help: "Memory for checking one file, in megabytes.")
        var memoryMb = MediaInspector.usualMegabytes

        @OptionGroup var access: LibraryAccess

        func validate() throws {
            guard (16...65_536).contains(memoryMb) else {
                throw ValidationError("--memory-mb takes 16 to 65536.")
            }
        }

        func run() async throws {
            let command = self
            try print(try await Interruption.cancels { try await command.takeAll() })
        }

        private func takeAll() async throws -> ImportReport {
            if let library = try access.running() {
                return try await asOwner(of: try await library.stagingFolder().library) {
                    try await take(into: library, $0)
                }
            }
            return try await access.opened(creating: true) { library, owner in
                try await take(into: library, owner)
            }
        }

        private func take(
            into library: any AssetEditor, _ owner: OwnerIdentity?
        ) async throws -> ImportReport {
            let importer = LibraryImporter(
                into: library, inspector: .withSystemPrograms(megabytes: memoryMb), owner: owner)
            let line = ProgressLine(isShown: access.client.showsProgress)
            defer { line.end() }
            return try await importer.run(paths) { line.show($0.done, of: $0.total) }
        }

        private struct Outcome: Encodable {
            struct Duplicate: Encodable {
                var path: String
                var id: String
                var deleted: Bool
            }
            struct Failure: Encodable {
                var path: String
                var code: String
                var message: String
            }
            struct Remark: Encodable {
                var path: String
                var message: String
            }
            var imported: [String]
            /// Imported files with something odd about them.
            var remarks: [Remark]
            /// Photos that got a RAW file beside them.
            var attached: [String]
            var bytes: Int64
            var duplicates: [Duplicate]
            var ignored: [String]
            var failures: [Failure]
        }

        private func print(_ report: ImportReport) throws {
            let failures = report.failures.map { failure in
                let code =
                    switch failure.error {
                    case let error as ImportError: "import.\(error.code.rawValue)"
                    case let error as LibraryError: CommandError(error).code
                    case let error as SystemCallError where error.code == ENOENT: "import.notFound"
                    default: "import.unreadable"
                    }
                return Outcome.Failure(
                    path: failure.path, code: code, message: "\(failure.error)")
            }
            if access.client.json {
                Swift.print(
                    try jsonLine(
                        Outcome(
                            imported: report.imported.map(\.text),
                            remarks: report.remarks.map {
                                .init(path: $0.path, message: $0.message)
                            },
                            attached: report.attached.map(\.text), bytes: report.bytes,
                            duplicates: report.duplicates.map {
                                .init(
                                    path: $0.path, id: $0.asset.text, deleted: $0.isDeleted)
                            }, ignored: report.ignored, failures: failures)))
            } else {
                for duplicate in report.duplicates {
                    let place = duplicate.isDeleted ? " in \"recently deleted\"" : ""
                    Swift.print(
                        oneLine("\(duplicate.path): already in the library\(place), as ")
                            + duplicate.asset.text)
                }
                for remark in report.remarks {
                    Swift.print(oneLine("\(remark.path): imported; \(remark.message)"))
                }
                let raws =
                    report.attached.isEmpty ? "" : " \(report.attached.count) RAW attached,"
                Swift.print(
                    "\(report.imported.count) imported,\(raws) "
                        + "\(report.duplicates.count) already in the library, "
                        + "\(report.ignored.count) ignored, \(failures.count) failed")
                for failure in failures { complain(oneLine("\(failure.path): \(failure.message)")) }
            }
            // The report is printed even after an interruption; a repeated import continues from
            // there.
            if let interruption = report.interruption { throw interruption }
            if failures.isEmpty { return }
            let areMissing = failures.allSatisfy { $0.code == "import.notFound" }
            throw ExitCode((areMissing ? ExitStatus.noInput : .io).rawValue)
        }
    }
}
