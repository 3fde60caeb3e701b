// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import Dispatch
internal import Glibc
internal import LinuxIO
internal import Logging
internal import Settings
internal import Synchronization

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the kiosk camera until SIGTERM or Ctrl-C.",
        discussion: """
              vitrine run --config vitrine.toml

            The systemd service runs this command. SIGHUP makes it read the configuration again.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Option(help: "Path of the control socket to create.", completion: .file())
    var socket: String?

    @Flag(help: "Print one JSON object once the appliance is ready: version, socket, board.")
    var json = false

    private struct Ready: Encodable {
        var version: String
        var socket: String
        var board: String
    }

    func run() async throws {
        MemoryPolicy.preferSteady()
        // A wrong file is reported below, where the last good configuration may replace it.
        let wanted = (try? configuration.load())?.log.level.rawValue
        let level = wanted.flatMap(Logger.Level.init(rawValue:)) ?? .info
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let orders = Orders()
        let sources = orders.watchSignals()
        let path = try socketPath()
        var running: RunningAppliance
        do {
            running = try await RunningAppliance(
                configuration, socket: path, memory: LastGood(environment: environmentVariables())
            ) { orders.reload() }
        } catch let error as SystemCallError where error.path == path {
            throw Self.refusal(of: path, error)
        }
        do {
            if json { try sayReady(socket: path, board: running.appliance.boardName) }
        } catch {
            await running.stop()
            throw error
        }
        for await order in orders.stream {
            switch order {
            case .stop: break
            case .reload: try await running.reload { orders.isStopping }
            case .settled: await running.rememberIfGood()
            }
            if orders.isStopping { break }
        }
        withExtendedLifetime(sources) {}
        await running.stop()
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
            "socket.unusable", "the control socket cannot be created: \(error)",
            next: "Give a path that this user may write to: --socket PATH",
            exit: error.isPermission ? .notPermitted : .io)
    }
}

/// The orders that the process receives from signals, commands and a timer.
private final class Orders: Sendable {
    enum Order {
        case stop, reload
        /// The appliance has run for a while.
        case settled
    }

    let stream: AsyncStream<Order>
    private let continuation: AsyncStream<Order>.Continuation
    private let stopping = Atomic<Bool>(false)

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Order.self)
    }

    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    func reload() { continuation.yield(.reload) }

    /// Watches the signals as long as the returned sources live. A second SIGTERM or SIGINT ends
    /// the process at once.
    func watchSignals() -> [any DispatchSourceProtocol] {
        let stops = [SIGTERM, SIGINT].map { number in
            source(number) { [self] in
                stopping.store(true, ordering: .relaxed)
                continuation.yield(.stop)
                signal(number, SIG_DFL)
            }
        }
        let settled = DispatchSource.makeTimerSource(queue: .global())
        settled.schedule(deadline: .now() + .seconds(60), repeating: .seconds(600))
        settled.setEventHandler { [self] in continuation.yield(.settled) }
        settled.resume()
        return stops + [source(SIGHUP) { [self] in reload() }, settled]
    }

    private func source(
        _ number: CInt, _ body: @escaping @Sendable () -> Void
    ) -> any DispatchSourceProtocol {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: body)
        source.resume()
        return source
    }
}
