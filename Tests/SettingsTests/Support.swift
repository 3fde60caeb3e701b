// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Settings

/// The problems of a text as `FILE:LINE: …` lines; empty if it is valid.
func problems(_ text: String) -> [String] {
    do {
        _ = try Settings.parse(text, fileName: "vitrine.toml")
        return []
    } catch {
        return error.problems.map(\.description)
    }
}

/// The kinds of the problems of a text.
func codes(_ text: String) -> [SettingsProblem.Code] {
    do {
        _ = try Settings.parse(text, fileName: "vitrine.toml")
        return []
    } catch {
        return error.problems.map(\.code)
    }
}

/// A generator with a seed, so that every run sees the same cases (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

/// A folder that is gone when the test ends.
func withTemporaryFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "vitrine-settings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
}
