// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library

/// The time in which an appliance starts or ends: it holds the library before it answers, and answers before it has
/// it open.
package enum LibraryHandover {
    /// Runs `body` again, for half a minute, while the library is another's or not open yet.
    package static func outlast<Value>(
        attempts: Int = 60, pause: Duration = .milliseconds(500),
        _ body: () async throws -> Value
    ) async throws -> Value {
        for _ in 1..<attempts {
            do {
                return try await body()
            } catch let error as LibraryError where [.busy, .closed].contains(error.code) {
                try await Task.sleep(for: pause)
            }
        }
        return try await body()
    }
}
