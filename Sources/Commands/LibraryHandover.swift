// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library

/// Retries while an appliance starts or ends: it locks the library before it answers requests, and
/// answers before the library is open.
package enum LibraryHandover {
    /// Runs `body`, and repeats it for half a minute while the library is busy or not open yet.
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
