// SPDX-License-Identifier: GPL-3.0-or-later

/// What somebody wants to do with the library. PHAccessLevel.
public enum LibraryAccessLevel: String, Sendable, Codable, CaseIterable {
    case addOnly, read, readWrite
}

/// Whether somebody may. PHAuthorizationStatus.
public enum AuthorizationStatus: String, Sendable, Codable, CaseIterable {
    /// A guest whose visit has not begun.
    case notDetermined
    /// Nobody can now: the library takes no changes.
    case restricted
    case denied
    /// Only with the photos of the visit that is going on.
    case limited
    case authorized
}
