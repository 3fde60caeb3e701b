// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import LinuxIO
public import Testing

/// The longest time that a test waits, in nanoseconds. Even a busy machine needs less.
let longestWait: Int64 = 300 * 1_000_000_000

/// A condition did not become true while a test waited for it.
public struct WaitTimeout: Error, CustomStringConvertible {
    /// The condition, and the line that waited for it.
    public let description: String

    fileprivate init(_ what: String, _ location: SourceLocation) {
        description = "waited in vain for \(what) at \(location)"
    }
}

/// Waits until `condition` is true.
///
/// - Parameter what: The condition in words, if its source line does not show it.
/// - Throws: ``WaitTimeout`` after five minutes; `CancellationError` if the task is cancelled;
///   errors of `condition`.
public func waitUntil(
    _ what: String = "the condition", at location: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = Clock.monotonic + longestWait
    while try await !condition() {
        if Clock.monotonic > deadline { throw WaitTimeout(what, location) }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// Blocks the thread until `condition` is true: ``waitUntil(_:at:_:)`` for synchronous tests.
///
/// - Throws: as ``waitUntil(_:at:_:)``.
public func blockUntil(
    _ what: String = "the condition", at location: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) throws {
    let deadline = Clock.monotonic + longestWait
    while try !condition() {
        if Clock.monotonic > deadline { throw WaitTimeout(what, location) }
        try Task.checkCancellation()
        usleep(1000)
    }
}

extension Poller {
    /// Returns the next event; `nil` after five minutes.
    public borrowing func waitForEvent() -> Event? {
        wait(milliseconds: Int32(longestWait / 1_000_000))
    }
}
