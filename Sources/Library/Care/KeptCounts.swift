// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// Sizes that triggers keep, and how they are counted: one query gives the kept ones, another the right
/// ones, both in the same columns and order.
struct KeptCounts: Sendable {
    /// For a person.
    let name: String
    private let kept: String
    private let counted: String
    private let mend: String

    static let all =
        [
            KeptCounts(
                name: "counts of media types", kept: "SELECT name, count, bytes FROM counter",
                counted: """
                    SELECT name, (SELECT count(*) FROM asset WHERE media_type = name),
                        (SELECT coalesce(sum(bytes), 0) FROM asset WHERE media_type = name)
                    FROM counter
                    """,
                mend: """
                    UPDATE counter SET
                        count = (SELECT count(*) FROM asset WHERE media_type = name),
                        bytes = (SELECT coalesce(sum(bytes), 0) FROM asset WHERE media_type = name)
                    """),
            KeptCounts(
                name: "counts of sessions", kept: "SELECT id, count FROM session ORDER BY id",
                counted: """
                    SELECT id, (SELECT count(*) FROM asset WHERE session_id = session.id AND in_view = 1)
                    FROM session ORDER BY id
                    """,
                mend: """
                    UPDATE session SET count =
                        (SELECT count(*) FROM asset WHERE session_id = session.id AND in_view = 1)
                    """),
            KeptCounts(
                name: "counts of albums",
                kept: "SELECT number, count FROM collection ORDER BY number",
                counted: """
                    SELECT number, (SELECT count(*) FROM album_asset WHERE album = number)
                    FROM collection ORDER BY number
                    """,
                mend: """
                    UPDATE collection SET count =
                        (SELECT count(*) FROM album_asset WHERE album = number)
                    """),
            DayBounds.kept,
        ] + CountedView.all.map(Self.init)

    init(name: String, kept: String, counted: String, mend: String) {
        self.name = name
        self.kept = kept
        self.counted = counted
        self.mend = mend
    }

    private init(_ view: CountedView) {
        self.init(
            name: "counts of \(view.name)",
            kept: "SELECT count, bytes FROM view_counter WHERE name = '\(view.name)'",
            counted: view.counted, mend: view.recounting)
    }

    func areWrong(_ db: Database) throws -> Bool {
        func values(_ sql: String) throws -> [[DatabaseValue]] {
            try Row.fetchAll(db, sql: sql).map { Array($0.databaseValues) }
        }
        return try values(kept) != values(counted)
    }

    func recount(_ db: Database) throws { try db.execute(sql: mend) }
}
