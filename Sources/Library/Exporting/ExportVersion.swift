// SPDX-License-Identifier: GPL-3.0-or-later

/// A version of a photo to export.
public enum ExportVersion: String, Sendable, CaseIterable {
    /// The photo with its edits; see ``Asset/adjustment``.
    case current
    /// The photo as it was stored, except for a corrected time.
    case original
}
