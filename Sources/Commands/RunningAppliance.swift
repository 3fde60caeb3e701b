// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import CommandProtocol
internal import Diagnostics
internal import FoundationEssentials
internal import Importing
internal import LinuxIO
internal import Logging
internal import Settings

/// The appliance of this process, whose configuration can change while it runs.
///
///     good ──reload──▶ trial ──everything that worked is back──▶ good
///       ▲                │
///       └── rejected ◀───┘ something is missing after 20 s, or it cannot start at all
///
/// Each configuration gets a new appliance; the old one first releases all devices and files. A
/// configuration is remembered as good once everything was seen working with it. If the current one
/// is not remembered and has not passed a trial, the next trial is measured against the remembered
/// one, and goes back to it.
struct RunningAppliance {
    private static let patience: Int64 = 20_000_000_000

    private let startTime = Clock.monotonic
    private let options: ConfigurationOptions
    private let socket: String
    private let reload: @Sendable () -> Void
    private let memory: LastGood
    private let log = Logger(label: "configuration")
    private var settings: Settings
    /// The settings that last passed a trial: everything that worked before them came back.
    private var passed: Settings?
    private(set) var appliance: Appliance
    private var state = StatusReport.ConfigurationState()

    /// Starts the appliance; `reload` requests ``reload(isStopping:)``, from any thread.
    init(
        _ options: ConfigurationOptions, socket: String, memory: LastGood,
        reload: @escaping @Sendable () -> Void
    ) async throws {
        self.options = options
        self.socket = socket
        self.memory = memory
        self.reload = reload
        state.file = options.path.map { URL(filePath: $0).standardizedFileURL.path } ?? ""
        var problem: String?
        (settings, problem) = try Self.firstSettings(options, memory, &state)
        appliance = try Appliance(
            settings, version: Vitrine.version, socket: socket, startTime: startTime,
            foreignPictures: MediaInspector.withSystemPrograms(
                megabytes: settings.library.pictureMemoryMegabytes),
            stateFolder: StateFolder.path(environmentVariables()), reload: reload)
        appliance.setConfiguration(state, problem: problem)
        try await appliance.start()
        if let problem {
            log.error("the file is not in use", metadata: ["reason": "\(problem)"])
        }
    }

    /// Returns the file's settings. If the file is wrong or was rejected, returns the good ones to
    /// use instead, if there are any.
    private static func firstSettings(
        _ options: ConfigurationOptions, _ memory: LastGood,
        _ state: inout StatusReport.ConfigurationState
    ) throws(SettingsError) -> (Settings, problem: String?) {
        do {
            let settings = try options.load()
            guard let path = options.path, let fallback = memory.fallback(from: path)
            else { return (settings, nil) }
            state.state = "rejected"
            return (fallback, "\(path): something that worked before did not come back with it")
        } catch {
            guard let good = memory.settings() else { throw error }
            state.state = "invalid"
            return (good, error.problems.first.map { "\($0)" } ?? "\(error)")
        }
    }

    /// Reads the file again and tries it, or keeps what works. `isStopping` ends the trial early.
    mutating func reload(isStopping: () -> Bool) async throws {
        let wanted: Settings
        do throws(SettingsError) {
            wanted = try options.load()
        } catch {
            for problem in error.problems {
                log.error(
                    "the file is refused; nothing changes", metadata: ["reason": "\(problem)"])
            }
            state.state = "invalid"
            state.revision += 1
            return appliance.setConfiguration(
                state, problem: error.problems.first.map { "\($0)" })
        }
        state.revision += 1
        state.state = "good"
        if wanted == settings {
            log.notice("the file has not changed", metadata: ["file": "\(state.file)"])
            return appliance.setConfiguration(state)
        }
        var before = await appliance.workingParts()
        remember(ifGood: before)
        let good = fallback(from: wanted)
        if good != settings { before = before.union(.good) }
        // If the process dies during the trial, the next start knows that the file was not good.
        if let file = options.path { memory.remember(rejected: file, fallback: good) }
        state.state = "trial"
        switch await change(to: wanted, before, isStopping) {
        case .interrupted: memory.forgetRejected()
        case .good:
            log.notice("the file is in use", metadata: ["file": "\(state.file)"])
            passed = settings
            remember(ifGood: await appliance.workingParts())
            memory.forgetRejected()
            state.state = "good"
            appliance.setConfiguration(state)
        case .bad(let reason):
            log.error(
                "the file is rejected; going back to the last good one",
                metadata: ["reason": "\(reason)"])
            await appliance.stop(forGood: false)
            try await start(good)
            // The requester gets the answer only when photos can be taken again.
            _ = await missing(from: before, isStopping)
            state.state = "rejected"
            appliance.setConfiguration(state, problem: "\(state.file): \(reason)")
        }
    }

    private func fallback(from wanted: Settings) -> Settings {
        if settings != passed, let good = memory.settings(), good != wanted { return good }
        return settings
    }

    private enum Outcome {
        case good
        case bad(String)
        /// The process is stopping, so the trial proved nothing.
        case interrupted
    }

    private mutating func change(
        to wanted: Settings, _ before: WorkingParts, _ isStopping: () -> Bool
    ) async -> Outcome {
        await appliance.stop(forGood: false)
        do {
            try await start(wanted)
        } catch {
            return .bad("\(error)")
        }
        let missing = await missing(from: before, isStopping)
        if isStopping() { return .interrupted }
        return missing.isEmpty
            ? .good : .bad("did not come back: \(missing.joined(separator: ", "))")
    }

    /// Waits until everything in `before` works again. Returns what is still missing at the time
    /// limit, or when the process is stopping.
    private func missing(from before: WorkingParts, _ isStopping: () -> Bool) async -> [String] {
        let limit = Clock.monotonic + Self.patience
        while true {
            let now = await appliance.workingParts()
            let missing = now.missing(from: before, buttons: appliance.buttonNames)
            if missing.isEmpty || isStopping() || Clock.monotonic > limit { return missing }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    private mutating func start(_ settings: Settings) async throws {
        appliance = try Appliance(
            settings, version: Vitrine.version, socket: socket, startTime: startTime,
            foreignPictures: MediaInspector.withSystemPrograms(
                megabytes: settings.library.pictureMemoryMegabytes),
            stateFolder: StateFolder.path(environmentVariables()), reload: reload)
        appliance.setConfiguration(state)
        try await appliance.start()
        self.settings = settings
    }

    /// Remembers the configuration if everything works. Called regularly, as that may take long.
    func rememberIfGood() async { remember(ifGood: await appliance.workingParts()) }

    private func remember(ifGood parts: WorkingParts) {
        if parts.isGood { memory.remember(good: settings) }
    }

    func stop() async { await appliance.stop() }
}
