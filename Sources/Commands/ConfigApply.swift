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
            abstract: "Check a file, put it in the configuration's place, and go over to it.",
            discussion: """
                Where an appliance runs, it goes over at once; when what worked before does not come \
                back within 20 seconds, the file that was there is put back. Else that is kept beside it \
                as NAME.previous.
                """)

        @Argument(help: "The new configuration.", completion: .file(extensions: ["toml"]))
        var file: String

        @OptionGroup var target: ExchangeOptions

        func run() throws {
            _ = try Settings.load(file: file)
            try target.exchange(with: try ConfigurationExchange.bytes(of: file))
        }
    }

    struct Rollback: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Go back to the configuration before the last that was applied; again: forward.")

        @OptionGroup var target: ExchangeOptions

        func run() throws {
            let previous = target.path + ConfigurationExchange.previousSuffix
            guard unsafe access(previous, F_OK) == 0 else {
                throw CommandError(
                    "config.noPrevious", "\(previous): there is no configuration to go back to",
                    next: "config apply keeps one.", exit: .noInput)
            }
            _ = try Settings.load(file: previous)
            try target.exchange(with: try ConfigurationExchange.bytes(of: previous))
        }
    }

    /// Which configuration is exchanged, and whose.
    struct ExchangeOptions: ParsableArguments {
        @Option(
            name: .customLong("config"),
            help:
                "The file to exchange (default: the running appliance's, else \(ConfigurationOptions.standardPath)).",
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

/// Puts another file in a configuration's place and finds out whether the appliance can live with it.
private struct ConfigurationExchange {
    static let previousSuffix = ".previous"
    private static let lockSuffix = ".lock"
    /// Longer than an appliance takes, on a slow card too, to save its photos, to try and to go back.
    private static let patience: Int64 = 240_000_000_000

    let path: String
    let client: ClientOptions

    static func bytes(of file: String) throws(CommandError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw CommandError(
                "file.unreadable", "\(file) cannot be read", next: "Check its rights.",
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
            // Whatever went wrong: what was there was good enough until now.
            let wasRestored = bytes != old && restore(old)
            guard let refusal = error as? Rejection else { throw error }
            throw CommandError(
                "config.rejected", refusal.reason,
                next: wasRestored
                    ? "\(path) is again what it was."
                    : "\(path) is as you gave it; the appliance goes on with the last good one.",
                exit: .configuration)
        }
        // Only now: a refusal must not cost the one to go back to.
        if let old, bytes != old { try replace(path + Self.previousSuffix, old) }
        return state
    }

    /// One exchange at a time: the second would put back, or keep as the previous one, what the first has not
    /// yet found out about.
    private func takeTurn() throws(CommandError) -> FolderLock {
        do throws(FolderLock.Failure) {
            return try FolderLock(at: path + Self.lockSuffix)
        } catch {
            switch error {
            case .held(let process):
                let who = process.map { " (process \($0))" } ?? ""
                throw CommandError(
                    "config.busy", "\(path) is being exchanged already\(who)",
                    next: "Wait until that has ended, and look: vitrine config show",
                    exit: .temporary)
            case .refused(let reason): throw Self.unwritable(reason)
            }
        }
    }

    private static func unwritable(_ error: SystemCallError) -> CommandError {
        CommandError(
            "file.unwritable", "\(error)",
            next: error.isPermission ? "Use sudo." : "Make room, or check the path.",
            exit: error.isPermission ? .notPermitted : .io)
    }

    private struct Rejection: Error {
        let reason: String
    }

    /// - Throws: ``Rejection`` when the appliance cannot live with it.
    private func takeEffect() throws -> StatusReport.ConfigurationState {
        guard let before: StatusReport.ConfigurationState = try reload() else {
            return StatusReport.ConfigurationState()
        }
        let state = try outcome(after: before.revision)
        if state.state == "good" { return state }
        let status: StatusReport = try client.request("status")
        let reason = status.problems.first { $0.code.hasPrefix("configuration.") }?.message
        throw Rejection(reason: reason ?? "the appliance cannot use it")
    }

    /// Answers whether the file is what it was.
    private func restore(_ old: [UInt8]?) -> Bool {
        do {
            if let old { try replace(path, old) } else { try FileTree.remove(path) }
        } catch {
            return false
        }
        // It is in use already: the appliance takes note that file and use agree again.
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

    /// What was in use when the appliance was told; `nil` when none runs.
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

    /// The appliance is away for a moment, and then says.
    private func outcome(after revision: Int) throws -> StatusReport.ConfigurationState {
        let limit = Clock.monotonic + Self.patience
        while Clock.monotonic < limit {
            do {
                let status: StatusReport = try client.request("status")
                // A smaller one is of a process that counts anew: the one before ended in between.
                if let state = status.configuration, state.state != "trial",
                    state.revision != revision
                {
                    return state
                }
            } catch let error as CommandError where error.isNobody {}
            usleep(100_000)
        }
        throw CommandError(
            "config.unknown", "the appliance does not say what became of it",
            next: "See: vitrine status", exit: .temporary)
    }
}

extension CommandError {
    /// Nobody answers.
    var isNobody: Bool { exitCode == ExitStatus.unavailable.rawValue }
}
