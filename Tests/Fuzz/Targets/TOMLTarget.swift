// SPDX-License-Identifier: GPL-3.0-or-later

internal import Settings

/// Checks that any bytes are settings or are refused with reasons, and that written settings read
/// back equal.
func takeTOML(_ bytes: [UInt8]) {
    do throws(SettingsError) {
        let settings = try Settings.parse(bytes, fileName: "fuzz.toml")
        let again = try? Settings.parse(settings.toml(), fileName: "again.toml")
        precondition(again == settings, "settings written down are others")
    } catch {
        precondition(!error.problems.isEmpty && !"\(error.problems)".isEmpty)
    }
}
