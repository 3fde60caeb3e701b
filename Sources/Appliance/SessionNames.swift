// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
package import Kiosk
internal import Synchronization

/// Names for the kiosk's sessions that no other kiosk and no other start gives again.
package final class SessionNames: Sendable {
    /// A guest's photos may still be being saved when others have come.
    private static let mostKept = 16
    /// The newest last.
    private let named = Mutex<[(number: SessionNumber, name: String)]>([])

    package init() {}

    /// Of one of the last sessions, or of a new one.
    package func name(of number: SessionNumber) -> String {
        named.withLock { named in
            if let known = named.last(where: { $0.number == number }) { return known.name }
            let name = UUID().uuidString.lowercased()
            named.append((number, name))
            if named.count > Self.mostKept { named.removeFirst() }
            return name
        }
    }

    /// `nil` for a session of which no photo has been named yet.
    package func known(_ number: SessionNumber) -> String? {
        named.withLock { named in named.last { $0.number == number }?.name }
    }
}
