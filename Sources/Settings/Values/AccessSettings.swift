// SPDX-License-Identifier: GPL-3.0-or-later

/// The permissions at the control socket.
public struct AccessSettings: Sendable, Equatable {
    /// The access of a companion program to the library.
    public enum ServiceAccess: String, Sendable, CaseIterable {
        case addOnly = "add_only"
        case read
        case full
    }

    /// User names, and group names with a leading `@`.
    public typealias Accounts = [String]

    /// Accounts that see the photos of the current visit.
    public var guests: Accounts
    /// Accounts that see all photos.
    public var viewers: Accounts
    /// Accounts of companion programs.
    public var services: Accounts
    /// The access of ``services`` to the library.
    public var serviceAccess: ServiceAccess

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, AccessKeys.table)
        guests = Self.accounts(decoder.value(AccessKeys.guests, in: table))
        viewers = Self.accounts(decoder.value(AccessKeys.viewers, in: table))
        services = Self.accounts(decoder.value(AccessKeys.services, in: table))
        serviceAccess = decoder.value(AccessKeys.serviceAccess, in: table)
    }

    private static func accounts(_ text: String) -> Accounts {
        text.split(separator: " ").map(String.init)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(AccessKeys.table)
        writer.write(AccessKeys.guests, guests.joined(separator: " "))
        writer.write(AccessKeys.viewers, viewers.joined(separator: " "))
        writer.write(AccessKeys.services, services.joined(separator: " "))
        writer.write(AccessKeys.serviceAccess, serviceAccess)
    }
}
