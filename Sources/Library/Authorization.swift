// SPDX-License-Identifier: GPL-3.0-or-later

/// The kind of access that a client wants. Corresponds to PHAccessLevel.
public enum LibraryAccessLevel: String, Sendable, Codable, CaseIterable {
    case addOnly, read, readWrite
}

/// The answer to a request for access. Corresponds to PHAuthorizationStatus.
public enum AuthorizationStatus: String, Sendable, Codable, CaseIterable {
    /// The guest's visit has not begun, or there is no library yet.
    case notDetermined
    /// The library accepts no changes, or its disk is not there.
    case restricted
    case denied
    /// Access is limited to the photos of the current visit.
    case limited
    case authorized
}
