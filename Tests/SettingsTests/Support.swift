// SPDX-License-Identifier: GPL-3.0-or-later
import Settings

/// Returns the problems of a text as `FILE:LINE: …` lines; empty if it is valid.
func problems(_ text: String) -> [String] {
    do {
        _ = try Settings.parse(text, fileName: "vitrine.toml")
        return []
    } catch {
        return error.problems.map(\.description)
    }
}

/// Returns the codes of the problems of a text.
func codes(_ text: String) -> [SettingsProblem.Code] {
    do {
        _ = try Settings.parse(text, fileName: "vitrine.toml")
        return []
    } catch {
        return error.problems.map(\.code)
    }
}
