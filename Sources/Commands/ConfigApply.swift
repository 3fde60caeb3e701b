// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Glibc
internal import LinuxIO
internal import Settings

extension Config {
    struct Apply: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check a configuration file, install it, and make the appliance use it.",
            discussion: """
                  vitrine config apply new.toml

                A running appliance uses the new file at once. If something that worked before \
                does not come back within 20 seconds, the old file is restored. Otherwise the old \
                file is kept beside the new one as NAME.previous.
                """)

        @Argument(
            help: "File with the new configuration.", completion: .file(extensions: ["toml"]))
        var file: String

        @OptionGroup var target: ExchangeOptions

        func run() throws {
            _ = try Settings.load(file: file)
            try target.exchange(with: try ConfigurationExchange.bytes(of: file))
        }
    }

    struct Rollback: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Return to the configuration before the last apply.",
            discussion: """
                  vitrine config rollback

                A second rollback returns to the newer configuration.
                """)

        @OptionGroup var target: ExchangeOptions

        func run() throws {
            let previous = target.path + ConfigurationExchange.previousSuffix
            guard unsafe access(previous, F_OK) == 0 else {
                throw CommandError(
                    "config.noPrevious", "\(previous) does not exist: nothing to return to",
                    next: "Apply one first: vitrine config apply FILE", exit: .noInput)
            }
            _ = try Settings.load(file: previous)
            try target.exchange(with: try ConfigurationExchange.bytes(of: previous))
        }
    }

    struct ExchangeOptions: ParsableArguments {
        @Option(
            name: .customLong("config"),
            help: ArgumentHelp(
                "File to replace (default: the running appliance's, otherwise "
                    + "\(ConfigurationOptions.standardPath))."),
            completion: .file(extensions: ["toml"]))
        var file: String?

        @OptionGroup var client: ClientOptions

        var path: String {
            if let file { return file }
            let status: StatusReport? = try? client.request("status")
            let used = status?.configuration?.file ?? ""
            return used.isEmpty ? ConfigurationOptions.standardPath : used
        }

        fileprivate func exchange(with bytes: [UInt8]) throws {
            let state = try ConfigurationExchange(path: path, client: client).run(bytes)
            if client.json {
                print(try jsonLine(state))
            } else if state.revision > 0 {
                print("\(state.file): in use")
            } else {
                print("\(path): takes effect when the appliance starts")
            }
        }
    }
}

/// Replaces a configuration file and finds out whether the appliance can use the new one.
private struct ConfigurationExchange {
    static let previousSuffix = ".previous"
    private static let lockSuffix = ".lock"
    /// The time limit: longer than a slow appliance takes to save photos, try the file and go back.
    private static let patience: Int64 = 240_000_000_000

    let path: String
    let client: ClientOptions

    static func bytes(of file: String) throws(CommandError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw CommandError(
                "file.unreadable", "\(file) cannot be read", next: "Check its permissions.",
                exit: .noInput)
        }
        return Array(data)
    }

    func run(_ bytes: [UInt8]) throws -> StatusReport.ConfigurationState {
        let lock = try takeTurn()
        defer { withExtendedLifetime(lock) {} }
        let old = FileManager.default.contents(atPath: path).map { Array($0) }
        if bytes != old { try replace(path, bytes) }
        let state: StatusReport.ConfigurationState
        do {
            state = try takeEffect()
        } catch {
            // The old file was good enough until now, so every failure restores it.
            let wasRestored = bytes != old && restore(old)
            guard let refusal = error as? Rejection else { throw error }
            throw CommandError(
                "config.rejected", refusal.reason,
                next: wasRestored
                    ? "Correct the new file; \(path) is as it was before."
                    : "Correct \(path); the appliance uses the last good configuration meanwhile.",
                exit: .configuration)
        }
        // The previous file is replaced only now, so that a rejection does not lose it.
        if let old, bytes != old { try replace(path + Self.previousSuffix, old) }
        return state
    }

    /// Locks the file: another exchange would restore, or keep as the previous, a file on trial.
    private func takeTurn() throws(CommandError) -> FolderLock {
        do throws(FolderLock.Failure) {
            return try FolderLock(at: path + Self.lockSuffix)
        } catch {
            switch error {
            case .held(let process):
                let who = process.map { " (process \($0))" } ?? ""
                throw CommandError(
                    "config.busy", "\(path) is being replaced by another command\(who)",
                    next: "Wait until that ends, then see: vitrine config show",
                    exit: .temporary)
            case .refused(let reason): throw Self.unwritable(reason)
            }
        }
    }

    private static func unwritable(_ error: SystemCallError) -> CommandError {
        CommandError(
            "file.unwritable", "\(error)",
            next: error.isPermission ? "Use sudo." : "Free some space, or check the path.",
            exit: error.isPermission ? .notPermitted : .io)
    }

    private struct Rejection: Error {
        let reason: String
    }

    /// Makes the appliance use the file, or throws ``Rejection`` if it cannot.
    private func takeEffect() throws -> StatusReport.ConfigurationState {
        guard let before: StatusReport.ConfigurationState = try reload() else {
            return StatusReport.ConfigurationState()
        }
        let state = try outcome(after: before.revision)
        if state.state == "good" { return state }
        let status: StatusReport = try client.request("status")
        let reason = status.problems.first { $0.code.hasPrefix("configuration.") }?.message
        throw Rejection(reason: reason ?? "the appliance cannot use the new configuration")
    }

    private func restore(_ old: [UInt8]?) -> Bool {
        do {
            if let old { try replace(path, old) } else { try FileTree.remove(path) }
        } catch {
            return false
        }
        // The appliance uses the old file already; this only updates the state in its status.
        _ = try? client.request("config.reload", as: JSONValue.self)
        return true
    }

    private func replace(_ path: String, _ bytes: [UInt8]) throws(CommandError) {
        do {
            try DurableFile.replace(path, with: bytes)
        } catch {
            throw Self.unwritable(error)
        }
    }

    /// Makes the appliance reload its file. Returns the state before; `nil` if no appliance uses
    /// the file.
    private func reload() throws -> StatusReport.ConfigurationState? {
        do {
            let status: StatusReport = try client.request("status")
            guard let state = status.configuration, same(state.file, path) else { return nil }
            return try client.request("config.reload")
        } catch let error as CommandError where error.isNobody {
            return nil
        }
    }

    private func same(_ first: String, _ second: String) -> Bool {
        func real(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }
        return real(first) == real(second)
    }

    /// Waits for the outcome of the trial; the appliance may not answer for a moment.
    private func outcome(after revision: Int) throws -> StatusReport.ConfigurationState {
        let limit = Clock.monotonic + Self.patience
        while Clock.monotonic < limit {
            do {
                let status: StatusReport = try client.request("status")
                // A smaller revision also counts: it is from a new process, which counts from 0.
                if let state = status.configuration, state.state != "trial",
                    state.revision != revision
                {
                    return state
                }
            } catch let error as CommandError where error.isNobody {}
            usleep(100_000)
        }
        throw CommandError(
            "config.unknown", "the appliance did not say whether it uses the new configuration",
            next: "See: vitrine status", exit: .temporary)
    }
}

extension CommandError {
    var isNobody: Bool { exitCode == ExitStatus.unavailable.rawValue }
}
