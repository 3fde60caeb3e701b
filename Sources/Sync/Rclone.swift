// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
package import Library
internal import LinuxIO
package import Settings
internal import Subprocess

/// Runs Debian's rclone, one child per call. The child sees no environment but its own, so that it
/// neither inherits nor shows secrets; its configuration file holds them.
package struct Rclone: Sendable {
    /// An absolute folder, or `NAME:PATH`.
    let location: String
    /// The file with the remotes and their passwords; `nil` for none.
    let configuration: String?
    /// The most kilobits per second; 0 for no limit.
    let kilobitsPerSecond: Int

    package init(location: String, configuration: String?, kilobitsPerSecond: Int = 0) {
        self.location = location
        self.configuration = configuration
        self.kilobitsPerSecond = kilobitsPerSecond
    }

    /// - Parameter configuration: The file with the remotes; `nil` for none.
    package init(_ settings: SyncSettings, _ remote: SyncRemote, configuration: String?) {
        self.init(
            location: remote.location, configuration: configuration,
            kilobitsPerSecond: settings.kilobitsPerSecond)
    }

    /// Whether the location is a folder of this machine.
    var isFolder: Bool { location.hasPrefix("/") }

    /// Files above this size are uploaded in parts. The hash that S3 then gives is the one that
    /// rclone itself has claimed, so it proves nothing.
    static let wholeUpload: Int64 = 4 << 30

    /// The time after which a call is given up: a minute, and what 16 KiB a second take, or half of
    /// a limit that is below twice that.
    func deadline(bytes: Int64) -> Duration {
        let limit = kilobitsPerSecond > 0 ? kilobitsPerSecond * 125 / 2 : .max
        return .seconds(60 + bytes / Int64(max(1, min(limit, 16 << 10))))
    }

    /// What a copy does with an object that is there already.
    enum Existing {
        /// Nobody looks whether there is one.
        case replacedUnseen
        /// It stays if it has the right size, and the right hash if the remote has one.
        case keptIfSame
        case replaced

        fileprivate var arguments: [String] {
            switch self {
            case .replacedUnseen: ["--no-check-dest"]
            case .keptIfSame: ["--checksum"]
            case .replaced: ["--ignore-times"]
            }
        }
    }

    /// Copies the files `keys` below `folder` to the same places below the location. An error is
    /// not thrown but returned for its key: only ``hashes(of:in:_:bytes:downloading:)`` proves what
    /// has arrived, so rclone need not look at it after the upload.
    func copy(
        _ keys: [String], from folder: String, to device: String, bytes: Int64,
        _ existing: Existing
    ) async throws(SyncFailure) -> RcloneComplaints {
        var arguments = [
            "copy", folder, "\(location)/\(device)", "--no-traverse", "--s3-upload-cutoff", "4Gi",
            "--s3-no-head",
        ]
        arguments += existing.arguments
        if kilobitsPerSecond > 0 { arguments += ["--bwlimit", "\(kilobitsPerSecond * 125)B"] }
        return try await run(arguments, keys, bytes: bytes).complaints
    }

    /// Returns the hashes of those objects that are there, in lower-case hexadecimal.
    /// - Parameters:
    ///   - hash: rclone's name of the hash, such as `md5`.
    ///   - downloading: Reads each object back instead of asking the remote for its hash.
    func hashes(
        of keys: [String], in device: String, _ hash: String, bytes: Int64, downloading: Bool
    ) async throws(SyncFailure) -> (found: [String: String], complaints: RcloneComplaints) {
        // Each object is asked for by itself: a folder may have far more.
        var arguments = ["hashsum", hash, "\(location)/\(device)", "--no-traverse"]
        if downloading { arguments.append("--download") }
        let (output, complaints) = try await run(arguments, keys, bytes: downloading ? bytes : 0)
        var found: [String: String] = [:]
        for line in output.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { continue }
            found[String(parts[1].drop { $0 == " " })] = String(parts[0])
        }
        return (found, complaints)
    }

    /// Removes those objects that are there.
    func delete(
        _ keys: [String], in device: String
    ) async throws(SyncFailure) -> RcloneComplaints {
        try await run(["delete", "\(location)/\(device)"], keys, bytes: 0).complaints
    }

    /// Moves those objects that are there to the same places below `trash`, beside the kiosks.
    func trash(
        _ keys: [String], in device: String
    ) async throws(SyncFailure) -> RcloneComplaints {
        let arguments = ["move", "\(location)/\(device)", "\(location)/trash/\(device)"]
        return try await run(arguments, keys, bytes: 0).complaints
    }

    /// Removes an empty folder, if the remote has folders and lets it go.
    func removeFolder(_ folder: String, in device: String) async {
        _ = try? await run(["rmdir", "\(location)/\(device)/\(folder)"], nil, bytes: 0)
    }

    /// Copies an object to a file.
    func fetch(
        _ key: String, in device: String, to file: String, bytes: Int64
    ) async throws(SyncFailure) {
        let complaints = try await run(
            ["copyto", "\(location)/\(device)/\(key)", file], nil, bytes: bytes
        ).complaints
        guard complaints.isEmpty else { throw complaints.failure(for: key) }
    }

    /// Returns the hashes that the remote keeps of its objects, by rclone's names.
    func hashNames() async throws(SyncFailure) -> [String] {
        struct Features: Decodable {
            let Hashes: [String]?
        }
        let (output, complaints) = try await run(
            ["backend", "features", location], nil, bytes: 0)
        guard let features = try? JSONDecoder().decode(Features.self, from: Data(output.utf8))
        else { throw complaints.failure(for: nil) }
        return features.Hashes ?? []
    }

    private static let mostOutput = 64 << 20

    private func run(
        _ arguments: [String], _ keys: [String]?, bytes: Int64
    ) async throws(SyncFailure) -> (output: String, complaints: RcloneComplaints) {
        var all =
            arguments + [
                "--use-json-log", "--retries", "1", "--low-level-retries", "3", "--contimeout",
                "15s",
                "--timeout", "30s",
            ]
        // Not by a pipe: a write to one that rclone has closed would end this process (SIGPIPE).
        let list = keys.map { _ in
            FileManager.default.temporaryDirectory
                .appending(
                    path: "vitrine-sync-\(ProcessInfo.processInfo.processIdentifier)-\(UUID())")
        }
        defer { if let list { try? FileManager.default.removeItem(at: list) } }
        if let keys, let list {
            do {
                try Data((keys.joined(separator: "\n") + "\n").utf8).write(to: list)
            } catch {
                throw SyncFailure(
                    "sync.staging", "\(list.path): \(error)", next: "Make room in that folder.")
            }
            all += ["--files-from-raw", list.path]
        }
        let environment: [Environment.Key: String] = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent",
            "RCLONE_CONFIG": configuration ?? "/dev/null",
        ]
        let deadline = deadline(bytes: bytes)
        let ended: (output: String, errors: String)?
        do {
            ended = try await within(deadline) { [all] in
                let ended = try await Subprocess.run(
                    .name("rclone"), arguments: Arguments(all), environment: .custom(environment),
                    output: .string(limit: Self.mostOutput),
                    error: .string(limit: Self.mostOutput))
                return (ended.standardOutput, ended.standardError)
            }
        } catch {
            if Task.isCancelled { throw .cancelled }
            throw SyncFailure(
                "sync.noProgram", "rclone cannot be run: \(error)",
                next: "Install it: sudo apt install rclone")
        }
        guard let ended else {
            if Task.isCancelled { throw .cancelled }
            throw SyncFailure(
                "sync.stalled",
                "\(location) took no data for \(deadline.components.seconds) s",
                next: "See whether the network and the remote work: rclone lsd \(location)")
        }
        return (ended.output, RcloneComplaints(ended.errors, of: location))
    }
}

extension SyncFailure {
    /// The end of a run that was stopped. Nothing records it.
    fileprivate static let cancelled = SyncFailure(
        "sync.cancelled", "the run was stopped", next: "The next run goes on.")
}

/// The errors that rclone wrote: those of single objects, and of the remote.
package struct RcloneComplaints: Sendable {
    private let location: String
    private var objects: [String: String] = [:]
    private var general: String?

    init(_ log: String, of location: String) {
        struct Line: Decodable {
            let level: String
            let msg: String
            let object: String?
        }
        self.location = location
        let decoder = JSONDecoder()
        for text in log.split(separator: "\n") {
            guard let line = try? decoder.decode(Line.self, from: Data(text.utf8)) else {
                // rclone writes some fatal errors before it reads its options.
                if text.contains("Failed") || text.contains("Fatal") { general = String(text) }
                continue
            }
            guard ["error", "critical", "fatal", "panic"].contains(line.level) else { continue }
            if let object = line.object, object.contains("/") {
                objects[object] = line.msg
            } else {
                general = line.msg
            }
        }
    }

    /// Returns why an object is not there, from its own error or the remote's.
    func failure(for key: String?) -> SyncFailure {
        let text = key.flatMap { objects[$0] } ?? general ?? ""
        return Self.failure(text, location)
    }

    /// Whether an object failed: by an error of its own, or because the whole call did.
    func concerns(_ key: String) -> Bool {
        objects[key] != nil || objects.isEmpty && general != nil
    }

    var isEmpty: Bool { objects.isEmpty && general == nil }

    /// A kind of failure: phrases in rclone's message, in lower case, and what it means.
    private struct Kind {
        let code: String
        let phrases: [String]
        /// The statuses of HTTP with this meaning.
        var statuses: [String] = []
        let meaning: String
        let next: String
    }

    private static let kinds = [
        Kind(
            code: "sync.configuration", phrases: ["didn't find section in config file"],
            meaning: "is not in rclone's configuration",
            next: "Add the remote to the file of [sync] rclone_config: rclone config"),
        Kind(
            code: "sync.clock", phrases: ["requesttimetooskewed", "not yet valid", "has expired"],
            meaning: "refuses this board's clock", next: "Set the clock: timedatectl"),
        Kind(
            code: "sync.certificate", phrases: ["x509", "certificate", "tls:"],
            meaning: "shows a certificate that this board does not trust",
            next: "Install the authority's certificate: sudo update-ca-certificates"),
        Kind(
            code: "sync.unreachable",
            phrases: [
                "dial tcp", "no such host", "connection refused", "connection reset",
                "unreachable", "timeout", "timed out", "deadline exceeded", "eof", "broken pipe",
            ],
            meaning: "cannot be reached", next: "See whether the network and the remote work."),
        Kind(
            code: "sync.full",
            phrases: ["quota", "insufficient storage", "no space left", "storage full"],
            statuses: ["507"], meaning: "has no room", next: "Make room at the remote."),
        Kind(
            code: "sync.denied",
            phrases: [
                "accessdenied", "access denied", "signaturedoesnotmatch", "invalidaccesskeyid",
                "unauthorized", "forbidden", "unable to authenticate", "permission denied",
                "logon failure", "password",
            ],
            statuses: ["401", "403"],
            meaning: "refuses the user name or password, or this folder",
            next: "Check the remote in rclone's configuration: rclone lsd"),
        Kind(
            code: "sync.missing", phrases: ["nosuchbucket", "directory not found"],
            statuses: ["404"], meaning: "has no such bucket or folder",
            next: "Create it: rclone mkdir"),
    ]

    private static func failure(_ text: String, _ location: String) -> SyncFailure {
        let text = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
            .joined(separator: " ")
        let lower = text.lowercased()
        // A number inside an address is no status.
        let words = Set(lower.split(whereSeparator: \.isWhitespace).map(String.init))
        let kind = kinds.first { kind in
            kind.phrases.contains { lower.contains($0) }
                || kind.statuses.contains { words.contains($0) || words.contains("\($0):") }
        }
        if let kind {
            return SyncFailure(
                kind.code, "\(location) \(kind.meaning) (\(text))", next: kind.next)
        }
        return SyncFailure(
            "sync.failed",
            text.isEmpty ? "\(location) does not have it" : "\(location): \(text)",
            next: "It is tried again; see: vitrine sync status")
    }
}
