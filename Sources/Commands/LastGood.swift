// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import LinuxIO
internal import Settings

/// Remembers configurations between starts, in the state folder that systemd gives the service
/// (systemd.exec(5), StateDirectory=). If there is none, nothing is remembered.
struct LastGood {
    private let folder: String?

    init(environment: [String: String]) {
        folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    }

    private var good: String? { folder.map { "\($0)/last-good.toml" } }
    private var rejected: String? { folder.map { "\($0)/rejected.toml" } }
    private var fallback: String? { folder.map { "\($0)/fallback.toml" } }

    func settings() -> Settings? {
        good.flatMap { try? Settings.load(file: $0) }
    }

    /// Returns the settings to use instead of this file; `nil` unless its content was rejected.
    func fallback(from file: String) -> Settings? {
        guard let rejected, let fallback,
            let known = FileManager.default.contents(atPath: rejected),
            FileManager.default.contents(atPath: file) == known
        else { return nil }
        return (try? Settings.load(file: fallback)) ?? settings()
    }

    // Write errors are ignored, because the next change writes again.

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
