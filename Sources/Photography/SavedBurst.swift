// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Library
internal import Recording

struct SavedBurst: Sendable {
    let id = UUID().uuidString.lowercased()
    private(set) var count = 0
    /// The sharpest photo so far; the earliest of equally sharp ones.
    private(set) var best: (still: FinishedStill, asset: Asset)?
    /// Why the last missing photo is missing.
    var failure = "no frame came of it"

    mutating func add(_ still: FinishedStill, _ asset: Asset) {
        count += 1
        if let best, (still.sharpness ?? 0) <= (best.still.sharpness ?? 0) { return }
        // The screen needs no RAW.
        best = (still.withoutRaw(), asset)
    }
}
