// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
package import Kiosk
internal import Synchronization

/// Gives the kiosk's sessions names that are unique among all kiosks and starts.
package final class SessionNames: Sendable {
    /// The number of names kept: a guest's photos may still be saved when other guests have come.
    private static let mostKept = 16
    /// The names, newest last.
    private let named = Mutex<[(number: SessionNumber, name: String)]>([])

    package init() {}

    /// Returns the name of a session, and makes one for a new session.
    package func name(of number: SessionNumber) -> String {
        named.withLock { named in
            if let known = named.last(where: { $0.number == number }) { return known.name }
            let name = UUID().uuidString.lowercased()
            named.append((number, name))
            if named.count > Self.mostKept { named.removeFirst() }
            return name
        }
    }

    /// Returns the name of a session; `nil` if no photo of it has been taken.
    package func known(_ number: SessionNumber) -> String? {
        named.withLock { named in named.last { $0.number == number }?.name }
    }
}
