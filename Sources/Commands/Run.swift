// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import Dispatch
internal import Glibc
internal import LinuxIO
internal import Logging
internal import Settings

/// The appliance itself.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the kiosk camera until it is told to stop (SIGTERM or Ctrl-C).")

    @OptionGroup var configuration: ConfigurationOptions

    @Option(help: "Where to make the control socket.", completion: .file())
    var socket: String?

    @Flag(help: "Print one JSON object when it is ready: version, socket, board.")
    var json = false

    private struct Ready: Encodable {
        var version: String
        var socket: String
        var board: String
    }

    func run() async throws {
        let settings = try configuration.load()
        let level = Logger.Level(rawValue: settings.log.level.rawValue) ?? .info
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let (stop, stopSources) = stopSignals()
        let reloadSource = reloadSignal()
        let path = try socketPath()
        let appliance: Appliance
        do {
            appliance = try Appliance(settings, version: Vitrine.version, socket: path)
        } catch let error as SystemCallError where error.path == path {
            throw Self.refusal(of: path, error)
        }
        try await appliance.start()
        do {
            if json { try sayReady(socket: path, board: appliance.boardName) }
        } catch {
            await appliance.stop()
            throw error
        }
        for await _ in stop { break }
        withExtendedLifetime((stopSources, reloadSource)) {}
        await appliance.stop()
    }

    private func sayReady(socket: String, board: String) throws {
        print(try jsonLine(Ready(version: Vitrine.version, socket: socket, board: board)))
        try flushOutput()
    }

    private func socketPath() throws -> String {
        let candidates = SocketPath.candidates(
            option: socket, environment: environmentVariables())
        do {
            return try SocketPath.forServer(candidates)
        } catch {
            throw Self.unusable(error)
        }
    }

    private static func refusal(of path: String, _ error: SystemCallError) -> CommandError {
        if error.code != EADDRINUSE { return unusable(error) }
        return CommandError(
            "appliance.running", "an appliance is running already at \(path)",
            next: "Stop it first, or give this one another --socket.", exit: .temporary)
    }

    private static func unusable(_ error: SystemCallError) -> CommandError {
        CommandError(
            "socket.unusable", "no control socket can be made: \(error)",
            next: "Give a path that this user may write to: --socket PATH",
            exit: error.isPermission ? .notPermitted : .io)
    }

    /// One element when the process is asked to end, as long as the sources live. A second request
    /// ends it at once.
    private func stopSignals() -> (AsyncStream<Void>, [any DispatchSourceSignal]) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                continuation.yield()
                signal(number, SIG_DFL)
            }
            source.resume()
            return source
        }
        return (stream, sources)
    }

    /// Has the configuration file checked at SIGHUP, as long as the source lives; nothing changes.
    private func reloadSignal() -> any DispatchSourceSignal {
        let log = Logger(label: "configuration")
        let configuration = configuration
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler {
            let file = "\(configuration.file ?? ConfigurationOptions.standardPath)"
            do throws(SettingsError) {
                _ = try configuration.load()
                log.notice(
                    "good; it takes effect at the next start: systemctl restart vitrine",
                    metadata: ["file": "\(file)"])
            } catch {
                for problem in error.problems {
                    log.error("refused; nothing changes", metadata: ["reason": "\(problem)"])
                }
            }
        }
        source.resume()
        return source
    }
}
