// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB

/// A check of counts that triggers maintain. `kept` returns the stored values and `counted` the
/// right ones, in the same columns and order. Rows that belong to nothing have the right count 0.
struct CountCheck: Sendable {
    let complaint: String
    private let kept: String
    private let counted: String
    private let mend: String

    static let all =
        [
            CountCheck(
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
            CountCheck(
                name: "counts and times of sessions",
                kept: """
                    SELECT id, count, start_time, start_offset_s, end_time, end_offset_s
                    FROM session ORDER BY id
                    """,
                counted: """
                    SELECT session.id,
                        (SELECT count(*) FROM asset WHERE session_id = session.id AND in_view = 1),
                        first.created_at, first.utc_offset_s, last.created_at, last.utc_offset_s
                    FROM session LEFT JOIN asset AS first ON first.sequence = (
                        SELECT sequence FROM asset WHERE session_id = session.id AND in_view = 1
                        ORDER BY created_at, sequence LIMIT 1)
                    LEFT JOIN asset AS last ON last.sequence = (
                        SELECT sequence FROM asset WHERE session_id = session.id AND in_view = 1
                        ORDER BY created_at DESC, sequence DESC LIMIT 1)
                    ORDER BY session.id
                    """,
                mend: """
                    UPDATE session SET \(LibrarySchema.spanOfSession), count =
                        (SELECT count(*) FROM asset WHERE session_id = session.id AND in_view = 1)
                    """),
            MomentTriggers.kept,
            CountCheck(
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
            CountCheck(
                name: "counts of RAWs",
                kept: "SELECT count, bytes FROM view_counter WHERE name = 'alternatePhotos'",
                counted: "SELECT count(*), coalesce(sum(bytes), 0) FROM alternate_photo",
                mend: """
                    UPDATE view_counter SET (count, bytes) =
                        (SELECT count(*), coalesce(sum(bytes), 0) FROM alternate_photo)
                    WHERE name = 'alternatePhotos'
                    """),
            CountCheck(
                name: "counts of assets not yet synchronized",
                kept: "SELECT count, bytes FROM view_counter WHERE name = 'notYetSynced'",
                counted: "SELECT count(*), coalesce(sum(waiting_bytes), 0) FROM outbox",
                mend: """
                    UPDATE view_counter SET (count, bytes) =
                        (SELECT count(*), coalesce(sum(waiting_bytes), 0) FROM outbox)
                    WHERE name = 'notYetSynced'
                    """),
            DayBounds.kept,
        ] + CountedView.all.map(Self.init) + strays

    /// Rows whose asset, album or folder was deleted by a program without foreign keys. Albums and
    /// folders move to the top level, other rows are deleted.
    private static let strays = [
        CountCheck(
            strays: "keywords",
            of: "asset_keyword WHERE asset NOT IN (SELECT sequence FROM asset)"),
        CountCheck(
            strays: "places in albums",
            of: """
                album_asset WHERE asset NOT IN (SELECT sequence FROM asset)
                    OR album NOT IN (SELECT number FROM collection)
                """),
        CountCheck(
            strays: "RAWs", of: "alternate_photo WHERE asset NOT IN (SELECT sequence FROM asset)"),
        CountCheck(
            strays: "assets to synchronize",
            of: "outbox WHERE asset NOT IN (SELECT sequence FROM asset)"),
        CountCheck(
            strays: "albums and folders",
            of: "collection WHERE folder NOT IN (SELECT number FROM collection)",
            mend: """
                UPDATE collection SET folder = NULL
                    WHERE folder NOT IN (SELECT number FROM collection)
                """),
    ]

    private init(strays name: String, of rows: String, mend: String? = nil) {
        complaint = "\(name): rows that belong to nothing"
        kept = "SELECT count(*) FROM \(rows)"
        counted = "SELECT 0"
        self.mend = mend ?? "DELETE FROM \(rows)"
    }

    init(name: String, kept: String, counted: String, mend: String) {
        complaint = "\(name) are wrong"
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
