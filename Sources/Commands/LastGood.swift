// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import LinuxIO
internal import Settings

/// What is remembered of configurations from start to start, in the folder that systemd gives the service
/// for its state (systemd.exec(5), StateDirectory=); elsewhere nothing is.
struct LastGood {
    private let folder: String?

    init(environment: [String: String]) {
        folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    }

    private var good: String? { folder.map { "\($0)/last-good.toml" } }
    private var rejected: String? { folder.map { "\($0)/rejected.toml" } }
    private var fallback: String? { folder.map { "\($0)/fallback.toml" } }

    /// The configuration with which everything last worked.
    func settings() -> Settings? {
        good.flatMap { try? Settings.load(file: $0) }
    }

    /// What to use in place of this file; `nil` unless it is the one that was tried and did not work.
    func fallback(from file: String) -> Settings? {
        guard let rejected, let fallback,
            let known = FileManager.default.contents(atPath: rejected),
            FileManager.default.contents(atPath: file) == known
        else { return nil }
        return (try? Settings.load(file: fallback)) ?? settings()
    }

    // Neither is worth an error: what cannot be remembered now is at the next change.

    func remember(good settings: Settings) {
        guard let good else { return }
        let bytes = Array(settings.toml().utf8)
        if FileManager.default.contents(atPath: good).map({ Array($0) }) == bytes { return }
        try? DurableFile.replace(good, with: bytes, mode: 0o640)
    }

    func forgetRejected() {
        if let rejected { try? FileTree.remove(rejected) }
    }

    func remember(rejected file: String, fallback settings: Settings) {
        guard let rejected, let fallback, let bytes = FileManager.default.contents(atPath: file)
        else { return }
        try? DurableFile.replace(fallback, with: Array(settings.toml().utf8), mode: 0o640)
        try? DurableFile.replace(rejected, with: Array(bytes), mode: 0o640)
    }
}
