// SPDX-License-Identifier: GPL-3.0-or-later

public import Library

/// The client's rights to the library. Its JSON form is the answer of `vitrine library access`.
public struct LibraryAccessReport: Sendable, Codable, Equatable {
    /// The client's role; `nil` if no appliance runs, and the rights of the files decide.
    public let role: AccessRole?
    /// The right to import.
    public let addOnly: AuthorizationStatus
    /// The right to see photos.
    public let read: AuthorizationStatus
    /// The right to change and delete them.
    public let readWrite: AuthorizationStatus

    /// Creates a report.
    public init(
        role: AccessRole?, addOnly: AuthorizationStatus, read: AuthorizationStatus,
        readWrite: AuthorizationStatus
    ) {
        self.role = role
        self.addOnly = addOnly
        self.read = read
        self.readWrite = readWrite
    }
}
