// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import CommandProtocol
internal import FoundationEssentials
internal import Importing
internal import LinuxIO
internal import Logging
internal import Settings

/// The appliance of this process, whose configuration may be exchanged while it runs.
///
///     good ──reload──▶ trial ──everything that worked is back──▶ good
///       ▲                │
///       └── rejected ◀───┘ something is missing after 20 s, or it cannot start at all
///
/// Another configuration is another appliance: the old one gives everything back first. Only one under which
/// everything was seen working is remembered as good; where the one in use is not, and has passed no trial, the next
/// trial is held against the one that is remembered, and goes back to it.
struct RunningAppliance {
    private static let patience: Int64 = 20_000_000_000

    private let startTime = Clock.monotonic
    private let options: ConfigurationOptions
    private let socket: String
    private let reload: @Sendable () -> Void
    private let memory: LastGood
    private let log = Logger(label: "configuration")
    private var settings: Settings
    /// Did all that the one before it did.
    private var passed: Settings?
    private(set) var appliance: Appliance
    private var state = StatusReport.ConfigurationState()

    /// - Parameters:
    ///   - options: which file.
    ///   - reload: asks for ``reload(isStopping:)``; called on any thread.
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
        await appliance.setConfiguration(state, problem: problem)
        try await appliance.start()
        if let problem { log.error("not in use", metadata: ["reason": "\(problem)"]) }
    }

    /// The file's settings; where it is wrong or did not work, those that did, if there are any.
    private static func firstSettings(
        _ options: ConfigurationOptions, _ memory: LastGood,
        _ state: inout StatusReport.ConfigurationState
    ) throws(SettingsError) -> (Settings, problem: String?) {
        do {
            let settings = try options.load()
            guard let path = options.path, let fallback = memory.fallback(from: path)
            else { return (settings, nil) }
            state.state = "rejected"
            return (fallback, "\(path): what worked before did not come back with it")
        } catch {
            guard let good = memory.settings() else { throw error }
            state.state = "invalid"
            return (good, error.problems.first.map { "\($0)" } ?? "\(error)")
        }
    }

    /// Reads the file again and goes over to it, or stays with what works.
    ///
    /// - Parameter isStopping: ends the trial early.
    mutating func reload(isStopping: () -> Bool) async throws {
        let wanted: Settings
        do throws(SettingsError) {
            wanted = try options.load()
        } catch {
            for problem in error.problems {
                log.error("refused; nothing changes", metadata: ["reason": "\(problem)"])
            }
            state.state = "invalid"
            state.revision += 1
            return await appliance.setConfiguration(
                state, problem: error.problems.first.map { "\($0)" })
        }
        state.revision += 1
        state.state = "good"
        if wanted == settings {
            log.notice("nothing has changed", metadata: ["file": "\(state.file)"])
            return await appliance.setConfiguration(state)
        }
        var before = await appliance.workingParts()
        remember(ifGood: before)
        let good = fallback(from: wanted)
        if good != settings { before = before.union(.good) }
        // Whatever ends this process in the middle of it: the next start knows that it was not good.
        if let file = options.path { memory.remember(rejected: file, fallback: good) }
        state.state = "trial"
        switch await change(to: wanted, before, isStopping) {
        case .interrupted: memory.forgetRejected()
        case .good:
            log.notice("in use", metadata: ["file": "\(state.file)"])
            passed = settings
            remember(ifGood: await appliance.workingParts())
            memory.forgetRejected()
            state.state = "good"
            await appliance.setConfiguration(state)
        case .bad(let reason):
            log.error("given up for the last good one", metadata: ["reason": "\(reason)"])
            await appliance.stop(forGood: false)
            try await start(good)
            // Who asked is told when a photo can be taken again.
            _ = await missing(from: before, isStopping)
            state.state = "rejected"
            await appliance.setConfiguration(state, problem: "\(state.file): \(reason)")
        }
    }

    /// What a trial goes back to.
    private func fallback(from wanted: Settings) -> Settings {
        if settings != passed, let good = memory.settings(), good != wanted { return good }
        return settings
    }

    private enum Outcome {
        case good
        case bad(String)
        /// The process is to end: nothing was shown.
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

    /// What of `before` does not come back in time, or before the process is to end.
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
        await appliance.setConfiguration(state)
        try await appliance.start()
        self.settings = settings
    }

    /// Every so often, as long as it takes: what shows pictures and keeps photos is good.
    func rememberIfGood() async { remember(ifGood: await appliance.workingParts()) }

    private func remember(ifGood parts: WorkingParts) {
        if parts.isGood { memory.remember(good: settings) }
    }

    func stop() async { await appliance.stop() }
}
