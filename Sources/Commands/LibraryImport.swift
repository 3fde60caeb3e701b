// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Importing
internal import Library
internal import LinuxIO

extension LibraryCommand {
    /// Reads and copies in this process, with the caller's rights; the appliance takes over what was copied.
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take photos and videos into the library, from files and folders.",
            discussion: """
                JPEG, PNG, HEIF, AVIF, MP4, MOV and MKV, by their content; each is looked through first. A \
                camera's RAW comes in beside the JPEG of the same name; captions, keywords and ratings come from XMP and \
                IPTC, also from side-cars NAME.xmp. \
                What is in the library already is named and left out, so that a broken-off import can \
                simply be run again; Ctrl-C leaves nothing half done. The files stay where they are.
                """)

        @Argument(
            help: "Files and folders; with all that is in these.", completion: .file())
        var paths: [String]

        @Option(help: "Megabytes of memory that one file may take while it is looked at.")
        var memoryMb = MediaInspector.usualMegabytes

        @OptionGroup var access: LibraryAccess

        func validate() throws {
            guard (16...65_536).contains(memoryMb) else {
                throw ValidationError("--memory-mb: 16 to 65536")
            }
        }

        func run() async throws {
            let command = self
            try print(try await Interruption.cancels { try await command.takeAll() })
        }

        private func takeAll() async throws -> ImportReport {
            if let library = try access.running() {
                return try await access.asOwner(of: try await library.stagingFolder().library) {
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
            let line = ProgressLine(isShown: !access.client.json && isatty(STDERR_FILENO) == 1)
            defer { line.end() }
            return try await importer.run(paths) { line.show($0.done, of: $0.total) }
        }

        private struct Outcome: Encodable {
            struct Duplicate: Encodable {
                var path: String
                var id: String
                /// In "recently deleted".
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
            /// Files that were taken in although something about them is odd.
            var remarks: [Remark]
            /// Photos that got the RAW beside them.
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
                    let place = duplicate.isDeleted ? " in recently deleted" : ""
                    Swift.print(
                        oneLine("\(duplicate.path): there already\(place), as ")
                            + duplicate.asset.text)
                }
                for remark in report.remarks {
                    Swift.print(oneLine("\(remark.path): imported; \(remark.message)"))
                }
                let raws =
                    report.attached.isEmpty ? "" : " \(report.attached.count) RAW beside them,"
                Swift.print(
                    "\(report.imported.count) imported,\(raws) \(report.duplicates.count) there already, "
                        + "\(report.ignored.count) ignored, \(failures.count) failed")
                for failure in failures { complain(oneLine("\(failure.path): \(failure.message)")) }
            }
            // What is in the library is told all the same; run again, the import goes on behind it.
            if let interruption = report.interruption { throw interruption }
            if failures.isEmpty { return }
            let areMissing = failures.allSatisfy { $0.code == "import.notFound" }
            throw ExitCode((areMissing ? ExitStatus.noInput : .io).rawValue)
        }
    }
}
