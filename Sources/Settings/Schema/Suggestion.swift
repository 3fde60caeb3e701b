// SPDX-License-Identifier: GPL-3.0-or-later

/// Guesses which name a misspelt word stands for.
enum Suggestion {
    /// Returns the candidate nearest to `word`, or nil if none is near. About a third of its
    /// letters may differ, and the unit may be missing (`countdown` for `countdown_s`).
    static func nearest(to word: String, among candidates: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let word = folded(word)
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let other = folded(candidate)
            let lacksUnit = other.starts(with: word + [UInt8(ascii: "_")]) && !word.isEmpty
            let distance = lacksUnit ? 1 : editDistance(word, other)
            guard distance <= max(1, (other.count + 1) / 3), distance < word.count,
                distance < best?.distance ?? .max
            else { continue }
            best = (candidate, distance)
        }
        return best?.candidate
    }

    /// Returns the fewest insertions, deletions, replacements and swaps of neighbours that turn one
    /// word into the other (optimal string alignment).
    static func editDistance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for i in first.indices {
            var row = [i + 1]
            for j in second.indices {
                let isSame = first[i] == second[j]
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (isSame ? 0 : 1))
                if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            beforeLast = last
            last = row
        }
        return last[second.count]
    }

    /// Returns `word` in lower case, with dashes as underscores.
    private static func folded(_ word: String) -> [UInt8] {
        word.lowercased().utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
    }
}
