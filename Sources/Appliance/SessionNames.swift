// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Kiosk
internal import Synchronization

/// Names for the kiosk's sessions that no other kiosk and no other start gives again.
final class SessionNames: Sendable {
    private let newest = Mutex<(number: SessionNumber, name: String)?>(nil)

    /// Of the last session, or of a new one.
    func name(of number: SessionNumber) -> String {
        newest.withLock { newest in
            if let newest, newest.number == number { return newest.name }
            let name = UUID().uuidString.lowercased()
            newest = (number, name)
            return name
        }
    }

    /// `nil` for a session of which no photo has been named yet.
    func known(_ number: SessionNumber) -> String? {
        newest.withLock { newest in newest?.number == number ? newest?.name : nil }
    }
}
