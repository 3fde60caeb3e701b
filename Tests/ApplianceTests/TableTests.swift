// SPDX-License-Identifier: GPL-3.0-or-later

import TestSupport
import Testing

@Suite("Tables on a terminal", .serialized, .ownThread, .timeLimit(.common))
struct TableTests {
    private let board: RunningBoard

    init() throws { board = try RunningBoard() }

    private func rows(_ columns: Int, _ verb: String...) throws -> [String] {
        let command = (verb + ["--config", board.configuration]).joined(separator: " ")
        let shown = try board.shell(
            "script -qec 'stty cols \(columns) rows 24; \(board.command(command))' /dev/null")
        return shown.output.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// Returns the width of Latin and Chinese text, in columns.
    private func width(_ row: String) -> Int {
        row.unicodeScalars.reduce(0) { $0 + ((0x4E00...0x9FFF).contains($1.value) ? 2 : 1) }
    }

    @Test(
        "a table of photos fits the terminal by shortening names and leaving out columns",
        arguments: [
            (120, ["number", "taken", "pixels", "size", "id", "file"], false),
            (80, ["number", "taken", "pixels", "size", "id", "file"], true),
            (60, ["number", "taken", "pixels", "size", "id"], true),
            (40, ["number", "taken", "id"], true),
        ])
    func photos(columns: Int, headings: [String], isShortened: Bool) throws {
        try board.ingest(3)
        let rows = try rows(columns, "library", "list")
        try #require(rows.count == 4)
        #expect(rows[0].split(separator: " ").map(String.init) == headings)
        #expect(rows.allSatisfy { width($0) <= columns }, "\(rows)")
        #expect(rows.dropFirst().allSatisfy { $0.contains("…") == isShortened }, "\(rows)")
        // In a pipe the table is complete.
        let piped = try board.run("library", "list")
        #expect(piped.split(whereSeparator: \.isWhitespace).count == 3 * 7)
        #expect(!piped.contains("…"))
    }

    @Test(
        "a table of albums fits the terminal, even with titles of wide characters",
        arguments: [
            (80, ["title", "count", "since", "id"]), (60, ["title", "count", "id"]),
            (40, ["title", "count"]),
        ])
    func albums(columns: Int, headings: [String]) throws {
        try board.ingest(1)
        let title = "照片很多的婚礼相册和很长的名字"
        _ = try board.run("album", "create", title)
        let rows = try rows(columns, "album", "list")
        try #require(rows.count == 2)
        #expect(rows[0].split(separator: " ").map(String.init) == headings)
        #expect(rows.allSatisfy { width($0) <= columns }, "\(rows)")
        #expect(rows[1].hasPrefix("照片") && rows[1].contains(title) == (columns == 40))
        #expect(rows[1].contains("album:") == headings.contains("id"))
        #expect(try board.run("album", "list").contains("\(title)\t0\t\talbum:"))
    }
}
