// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Hashing
package import Library
internal import LinuxIO
package import Settings

extension SyncRemote {
    /// Creates the remote that the configuration names; `nil` if it names none, or if the machine
    /// has no id and the configuration no name for it.
    package init?(_ settings: SyncSettings) {
        guard !settings.remote.isEmpty, let device = settings.deviceID ?? Self.machineName
        else { return nil }
        self.init(location: settings.remote, device: device)
    }

    /// A name that is the same at every start of this machine, and does not tell its id
    /// (machine-id(5)).
    private static var machineName: String? {
        guard let text = try? readSmallFile("/etc/machine-id"), text.utf8.count > 30 else {
            return nil
        }
        // The id with the end of its line, so that a name that is in use stays.
        let hashes = FileHash.hashes(of: Data("vitrine \(text)".utf8), [.sha256])
        return hashes[.sha256].map { "kiosk-\($0.prefix(12))" }
    }
}
