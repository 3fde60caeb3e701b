// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Handles Ctrl-C, kill(1) and a closed terminal for work that must clean up first.
final class Interruption: Sendable {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    private let caught = Mutex<CInt?>(nil)

    /// Runs `body` in a task that the first signal cancels; the second signal ends the process. A
    /// signal that was ignored when the process started, as with nohup(1), stays ignored. After a
    /// signal, throws the exit status that a shell reports for it.
    static func cancels<Value: Sendable>(
        _ body: sending @escaping () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await body() }
        let interruption = Interruption()
        let sources = signals.filter { !isIgnored($0) }.map { number in
            interruption.source(number) { task.cancel() }
        }
        defer { for source in sources { source.cancel() } }
        do {
            return try await task.value
        } catch {
            guard let number = interruption.caught.withLock({ $0 }) else { throw error }
            throw ExitCode(128 + number)
        }
    }

    private static func isIgnored(_ number: CInt) -> Bool {
        var action = sigaction()
        _ = unsafe sigaction(number, nil, &action)
        return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private func source(
        _ number: CInt, _ cancel: @escaping @Sendable () -> Void
    ) -> any DispatchSourceProtocol {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { [self] in
            caught.withLock { $0 = number }
            for number in Self.signals { signal(number, SIG_DFL) }
            cancel()
        }
        source.resume()
        return source
    }
}
