// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library
import TestSupport

/// A library of rows without files, written by sqlite3. Every property has values that several
/// assets share, no value, and unusual values.
struct RandomLibrary {
    let folder: LibraryFolder
    var generator: Seeded

    init(assets: Int, seed: UInt64) async throws {
        folder = try LibraryFolder()
        generator = Seeded(seed)
        try await folder.open().close()
        var script = "BEGIN;\n"
        for sequence in 1...assets { script += row(sequence) }
        script += "COMMIT;\n"
        let file = folder.path + "/rows.sql"
        try script.write(toFile: file, atomically: true, encoding: .utf8)
        _ = try await folder.sqlite(".read \(file)")
    }

    static let words = ["Garden", "gärtner", "GÄRTNER", "wedding", "a'b", "50%", "_x_", "straße"]
    static let sessions = ["s-1", "s-2", "s-3"]

    private mutating func row(_ sequence: Int) -> String {
        let type = pick(["photo", "photo", "photo", "video", "audio"])
        // Three days, with many assets at the same nanosecond.
        let day = 86_400_000_000_000 * Int.random(in: -1...1, using: &generator)
        let created =
            1_795_000_000_000_000_000 + day + Int.random(in: -20...20, using: &generator)
        let hasLocation = Bool.random(using: &generator)
        let columns: [(String, String)] = [
            ("sequence", "\(sequence)"),
            ("id", "'\(randomID())'"),
            ("media_type", "'\(type)'"), ("path", "'2026/11/22/\(sequence).jpg'"),
            ("file_name", "'\(pick(["a", "b", "ä"]))_\(sequence).jpg'"),
            ("bytes", number(0...9)),
            ("sha256", "x'\(String(repeating: "0", count: 63))\(number(0...9))'"),
            ("created_at", "\(created)"), ("utc_offset_s", pick(["0", "3600", "-7200"])),
            ("time_confidence", pick(["'synchronized'", "'estimated'", "'unknown'"])),
            ("width", number(0...3)), ("height", number(0...3)), ("orientation", number(1...8)),
            ("frame_sequence", maybe(number(0...5))),
            ("shutter_offset_us", maybe(number(-3...3))),
            ("shutter_reference", maybe(pick(["'frameTimestamp'", "'exposureMiddle'"]))),
            ("device_name", maybe(pick(["'cam'", "'Cam'"]))),
            ("session_id", maybe("'\(pick(Self.sessions))'")),
            ("recovered", number(0...1)), ("time_correction_ns", number(-2...2) + "600000"),
            ("subtypes", number(0...63)),
            ("duration_value", type == "photo" ? "NULL" : number(1...4)),
            ("duration_timescale", type == "photo" ? "NULL" : number(1...3)),
            ("added_at", maybe("\(created + 3)")), ("modified_at", maybe("\(created + 5)")),
            ("latitude", hasLocation ? pick(["-1.5", "0", "48.25"]) : "NULL"),
            ("longitude", hasLocation ? pick(["-1.5", "0", "11.5"]) : "NULL"),
            ("altitude", hasLocation ? maybe("520.5") : "NULL"),
            ("favorite", number(0...1)), ("hidden", rarely("1", else: "0")),
            ("deleted_at", rarely("\(created + 9)", else: "NULL")),
            ("burst_id", rarely("'\(pick(["b-1", "b-2"]))'", else: "NULL")),
            ("represents_burst", number(0...1)),
            ("caption", maybe("'\(quoted(pick(Self.words)))'")),
        ]
        let names = columns.map(\.0).joined(separator: ", ")
        let values = columns.map(\.1).joined(separator: ", ")
        var sql = "INSERT INTO asset (\(names)) VALUES (\(values));\n"
        for word in Set(Self.words.filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }) {
            sql += """
                INSERT OR IGNORE INTO asset_keyword (folded, asset, keyword)
                VALUES ('\(quoted(word.lowercased()))', \(sequence), '\(quoted(word))');\n
                """
        }
        return sql
    }

    private mutating func randomID() -> String {
        [8, 4, 4, 4, 12].map { length in
            (0..<length).map { _ in String(Int.random(in: 0...15, using: &generator), radix: 16) }
                .joined()
        }.joined(separator: "-")
    }
    private func quoted(_ text: String) -> String { text.replacing("'", with: "''") }
    private mutating func pick(_ choices: [String]) -> String {
        choices.randomElement(using: &generator) ?? ""
    }
    private mutating func number(_ range: ClosedRange<Int>) -> String {
        "\(Int.random(in: range, using: &generator))"
    }
    private mutating func maybe(_ value: String) -> String {
        Int.random(in: 0..<3, using: &generator) == 0 ? "NULL" : value
    }
    private mutating func rarely(_ value: String, else other: String) -> String {
        Int.random(in: 0..<8, using: &generator) == 0 ? value : other
    }

    // MARK: - Random queries

    /// Returns a filter of random shape, whose values are those of some asset or close to them.
    mutating func filter(like assets: [Asset], depth: Int = 3) -> AssetFilter {
        switch depth == 0 ? 0 : Int.random(in: 0..<9, using: &generator) {
        case 1: return .all(filters(assets, depth))
        case 2: return .any(filters(assets, depth))
        case 3, 4: return .not(filter(like: assets, depth: depth - 1))
        case 5: return .keyword(pick(Self.words + ["nobody's"]).uppercased())
        case 6: return .subtypes(MediaSubtypes(rawValue: .random(in: 0...3, using: &generator)))
        default: return comparison(assets)
        }
    }

    private mutating func filters(_ assets: [Asset], _ depth: Int) -> [AssetFilter] {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            filter(like: assets, depth: depth - 1)
        }
    }

    private mutating func comparison(_ assets: [Asset]) -> AssetFilter {
        let key = AssetKey.allCases.randomElement(using: &generator) ?? .id
        let values = (0..<2).map { _ in
            assets.randomElement(using: &generator).flatMap { key.value(of: $0) }
        }
        if Int.random(in: 0..<6, using: &generator) == 0 {
            return .membership(key, values.compactMap(\.self))
        }
        if case .text(let text)? = values[0], Bool.random(using: &generator) {
            return .comparison(key, .contains, .text(String(text.uppercased().prefix(3))))
        }
        let comparisons = AssetFilter.Comparison.allCases.filter { $0 != .contains }
        return .comparison(
            key, comparisons.randomElement(using: &generator) ?? .equal, values[0])
    }

    mutating func someAssets(of assets: [Asset]) -> [Asset] {
        assets.filter { _ in Int.random(in: 0..<12, using: &generator) == 0 }
    }

    /// Returns a random change that is valid for every asset.
    mutating func change() -> AssetChange {
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: .setFavorite(.random(using: &generator))
        case 1: .setHidden(.random(using: &generator))
        case 2: .setCaption(pick(Self.words))
        case 3: .addKeywords([pick(Self.words)])
        case 4: .removeKeywords(Self.words)
        case 5: .delete
        default: .restore
        }
    }

    mutating func options(like assets: [Asset]) -> FetchOptions {
        FetchOptions(
            filter: Int.random(in: 0..<8, using: &generator) == 0 ? nil : filter(like: assets),
            sortDescriptors: sortDescriptors(),
            fetchLimit: Int.random(in: 0..<4, using: &generator) == 0
                ? .random(in: 0...200, using: &generator) : nil,
            includesHidden: .random(using: &generator),
            includesAllBurstMembers: .random(using: &generator),
            includesDeleted: .random(using: &generator))
    }

    /// Returns up to two sort terms. In a third of the cases the last one is the sequence.
    private mutating func sortDescriptors() -> [AssetSortDescriptor] {
        var keys = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            AssetKey.allCases.randomElement(using: &generator) ?? .id
        }
        if Int.random(in: 0..<3, using: &generator) == 0 { keys = keys.prefix(1) + [.sequence] }
        return keys.map { AssetSortDescriptor($0, ascending: .random(using: &generator)) }
    }
}

extension FetchOptions {
    /// Returns the results of the same fetch, found without SQL.
    func applied(to assets: [Asset]) -> [Asset] {
        let found = assets.filter(matches).sorted { one, other in
            for descriptor in sortDescriptors {
                let (low, high) =
                    descriptor.ascending
                    ? (descriptor.key.value(of: one), descriptor.key.value(of: other))
                    : (descriptor.key.value(of: other), descriptor.key.value(of: one))
                switch (low, high) {
                case (nil, nil): continue
                case (nil, _): return true
                case (_, nil): return false
                case (let low?, let high?):
                    if low.isLess(than: high) { return true }
                    if high.isLess(than: low) { return false }
                }
            }
            return sortDescriptors.last?.ascending ?? true
                ? one.sequence < other.sequence : one.sequence > other.sequence
        }
        return Array(found.prefix(fetchLimit ?? .max))
    }
}

/// Returns the sequences of those assets of a result that still exist.
func sequences(_ result: FetchResult<Asset>) async throws -> [Int64] {
    var sequences: [Int64] = []
    for try await asset in result { sequences.append(asset.sequence) }
    return sequences
}

/// Returns the list that a client shows after the changes. It knows only the former list, and reads
/// only the inserted assets from `fresh`.
func follow(_ shown: [Int64], _ changes: AssetChanges, _ fresh: [Int64]) -> [Int64] {
    let moving = Set(changes.moved.map(\.from))
    let staying = shown.indices.filter { !changes.removed.contains($0) && !moving.contains($0) }
    var rest = staying.map { shown[$0] }[...]
    var placed: [Int: Int64] = [:]
    for move in changes.moved { placed[move.to] = shown[move.from] }
    for range in changes.inserted.ranges { for place in range { placed[place] = fresh[place] } }
    return (0..<rest.count + placed.count).compactMap { placed[$0] ?? rest.popFirst() }
}
