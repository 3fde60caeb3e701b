// SPDX-License-Identifier: GPL-3.0-or-later

/// Which of a photo's pictures is exported.
public enum ExportVersion: String, Sendable, CaseIterable {
    /// As it is to be seen, see ``Asset/adjustment``.
    case current
    /// As it was stored, but for a time that was corrected.
    case original
}
