// SPDX-License-Identifier: GPL-3.0-or-later

/// The SQL that keeps the table `moment`. A released migration contains it, so it never changes. A
/// trigger on `asset` looks up the two neighbours of the asset that enters or leaves the view, and
/// inserts into `moment_change` which of the three join. That table stays empty: its own trigger
/// changes the moments and drops the row.
enum MomentTriggers {
    static let schema = """
        -- Assets in view of one day, without a long time between two of them; see Moments.
        CREATE TABLE moment (
            start_time INTEGER NOT NULL,
            first_sequence INTEGER NOT NULL,
            start_offset_s INTEGER NOT NULL,
            end_time INTEGER NOT NULL,
            last_sequence INTEGER NOT NULL,
            end_offset_s INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (start_time, first_sequence)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX moment_first ON moment (first_sequence);
        CREATE TABLE moment_change (
            is_added INTEGER,
            time INTEGER, sequence INTEGER, offset_s INTEGER,
            before_time INTEGER, before_sequence INTEGER, before_offset_s INTEGER,
            after_time INTEGER, after_sequence INTEGER, after_offset_s INTEGER,
            joins_before INTEGER, joins_after INTEGER,
            -- Whether the assets before and after join without the one between them.
            is_bridged INTEGER
        ) STRICT;
        \(filling);
        \(added)
        \(removed)
        CREATE TRIGGER moment_asset_added AFTER INSERT ON asset WHEN new.in_view BEGIN
            \(change(isAdded: true, of: "new", where: "TRUE"))
        END;
        CREATE TRIGGER moment_asset_removed AFTER DELETE ON asset WHEN old.in_view BEGIN
            \(change(isAdded: false, of: "old", where: "TRUE"))
        END;
        CREATE TRIGGER moment_asset_changed AFTER UPDATE ON asset
            WHEN old.in_view <> new.in_view OR new.in_view
                AND (old.created_at <> new.created_at OR old.utc_offset_s <> new.utc_offset_s) BEGIN
            \(change(isAdded: false, of: "old", where: "old.in_view"))
            \(change(isAdded: true, of: "new", where: "new.in_view"))
        END;
        """

    /// The check that compares the table with moments computed from all assets.
    static let kept = CountCheck(
        name: "moments", kept: "SELECT \(columns) FROM moment ORDER BY start_time, first_sequence",
        counted: "\(counting) ORDER BY start_time, first_sequence",
        mend: "DELETE FROM moment; \(filling)")

    private static let columns =
        "start_time, first_sequence, start_offset_s, end_time, last_sequence, end_offset_s, count"

    // MARK: - Which assets join

    private struct Taken {
        let time: String
        let offset: String
    }

    /// SQL for 1 if both assets exist and the later is in the moment of the earlier; otherwise 0.
    private static func joins(_ earlier: Taken, _ later: Taken) -> String {
        """
        coalesce(\(later.time) = \(earlier.time)
            OR \(later.time) - \(earlier.time) <= \(Moments.gap)
            AND \(day(earlier)) = \(day(later)), 0)
        """
    }

    /// SQL for the local day since 1970. SQLite rounds towards zero: earlier times need one less.
    private static func day(_ taken: Taken) -> String {
        let local = "(\(taken.time) + \(taken.offset) * 1000000000)"
        let perDay = "86400000000000"
        return "(\(local) / \(perDay) - (\(local) % \(perDay) < 0))"
    }

    /// SQL that passes a change of one asset to `moment_change`. `row` is `new` or `old`.
    private static func change(isAdded: Bool, of row: String, where condition: String) -> String {
        let before = Taken(time: "before.time", offset: "before.offset_s")
        let after = Taken(time: "after.time", offset: "after.offset_s")
        let asset = Taken(time: "\(row).created_at", offset: "\(row).utc_offset_s")
        return """
            INSERT INTO moment_change SELECT \(isAdded ? 1 : 0),
                \(asset.time), \(row).sequence, \(asset.offset),
                before.time, before.sequence, before.offset_s, after.time, after.sequence,
                    after.offset_s,
                \(joins(before, asset)), \(joins(asset, after)), \(joins(before, after))
            FROM (SELECT 1) LEFT JOIN (\(neighbour(of: row, "<", "DESC"))) AS before
            LEFT JOIN (\(neighbour(of: row, ">", "ASC"))) AS after WHERE \(condition);
            """
    }

    /// SQL for the nearest asset in view before or after a row, in the order of time and sequence.
    /// An index finds it at once, even among many assets of the same time: SQLite uses no index for
    /// the second column of `(created_at, sequence) < (?, ?)`.
    private static func neighbour(of row: String, _ sign: String, _ order: String) -> String {
        let asset = """
            SELECT created_at AS time, sequence, utc_offset_s AS offset_s FROM asset
                WHERE in_view = 1
            """
        return """
            SELECT * FROM (
                \(asset) AND created_at = \(row).created_at AND sequence \(sign) \(row).sequence
                ORDER BY sequence \(order) LIMIT 1)
            UNION ALL SELECT * FROM (
                \(asset) AND created_at \(sign) \(row).created_at AND sequence <> \(row).sequence
                ORDER BY created_at \(order), sequence \(order) LIMIT 1)
            LIMIT 1
            """
    }

    // MARK: - What a change does to moments

    private static let asset = "(new.time, new.sequence)"
    private static let before = "(new.before_time, new.before_sequence)"
    private static let after = "(new.after_time, new.after_sequence)"
    private static let key = "(start_time, first_sequence)"
    private static let end = "(end_time, last_sequence, end_offset_s)"

    /// The condition for the last moment that begins at or before a place; with `<`, before it.
    private static func isLast(_ place: String, _ sign: String = "<=") -> String {
        """
        \(key) = (SELECT start_time, first_sequence FROM moment WHERE \(key) \(sign) \(place)
            ORDER BY start_time DESC, first_sequence DESC LIMIT 1)
        """
    }

    private static let added = """
        CREATE TRIGGER moment_extended BEFORE INSERT ON moment_change WHEN new.is_added BEGIN
            \(split(
                if: "new.is_bridged AND NOT (new.joins_before AND new.joins_after)",
                count: counted))
            UPDATE moment SET count = count + 1 WHERE new.joins_before AND \(isLast(before));
            UPDATE moment SET \(end) = (new.time, new.sequence, new.offset_s)
                WHERE new.joins_before AND (end_time, last_sequence) < \(asset)
                    AND \(isLast(before));
            INSERT INTO moment SELECT new.time, new.sequence, new.offset_s,
                new.time, new.sequence, new.offset_s, 1 WHERE NOT new.joins_before;
            \(merge(
                if: "new.joins_after AND NOT (new.joins_before AND new.is_bridged)", into: asset))
            SELECT RAISE(IGNORE);
        END;
        """

    private static let removed = """
        CREATE TRIGGER moment_reduced BEFORE INSERT ON moment_change WHEN NOT new.is_added BEGIN
            \(split(
                if: "new.joins_after AND NOT (new.joins_before AND new.is_bridged)",
                count: "CASE WHEN new.joins_before THEN \(counted) ELSE count - 1 END"))
            UPDATE moment SET count = count - 1 WHERE new.joins_before AND \(isLast(before));
            UPDATE moment SET \(end) = (new.before_time, new.before_sequence, new.before_offset_s)
                WHERE new.joins_before AND NOT (new.joins_after AND new.is_bridged)
                    AND \(isLast(before));
            DELETE FROM moment WHERE NOT new.joins_before AND \(key) = \(asset);
            \(merge(
                if: "new.is_bridged AND NOT (new.joins_before AND new.joins_after)", into: before))
            SELECT RAISE(IGNORE);
        END;
        """

    /// SQL that ends a moment at the asset before. The asset after begins the rest, whose size is
    /// `count`. The new row is filled in steps, because `INSERT … SELECT` from the same table would
    /// copy the table first.
    private static func split(if condition: String, count: String) -> String {
        """
        INSERT INTO moment SELECT new.after_time, new.after_sequence, new.after_offset_s, 0, 0, 0, 0
            WHERE \(condition);
        UPDATE moment SET (end_time, last_sequence, end_offset_s, count) =
                (SELECT end_time, last_sequence, end_offset_s, count FROM moment
                    WHERE \(isLast(after, "<")))
            WHERE (\(condition)) AND \(key) = \(after);
        UPDATE moment SET count = \(count) WHERE (\(condition)) AND \(key) = \(after);
        UPDATE moment SET \(end) = (new.before_time, new.before_sequence, new.before_offset_s),
                count = count - (SELECT count FROM moment WHERE \(key) = \(after))
            WHERE (\(condition)) AND new.before_time IS NOT NULL AND \(isLast(after, "<"));
        """
    }

    /// SQL that joins the moment that begins with the asset after to the one before it.
    private static func merge(if condition: String, into place: String) -> String {
        """
        UPDATE moment SET (end_time, last_sequence, end_offset_s, count) =
                (SELECT later.end_time, later.last_sequence, later.end_offset_s,
                    moment.count + later.count
                FROM moment AS later WHERE (later.start_time, later.first_sequence) = \(after))
            WHERE (\(condition)) AND \(isLast(place));
        DELETE FROM moment WHERE (\(condition)) AND \(key) = \(after);
        """
    }

    // MARK: - Counting

    /// SQL for the size of a row's moment, without the asset that changes.
    private static let counted = """
        (SELECT count(*) FROM asset WHERE in_view = 1 AND sequence <> new.sequence
            AND created_at BETWEEN start_time AND end_time
            AND (created_at > start_time OR sequence >= first_sequence)
            AND (created_at < end_time OR sequence <= last_sequence))
        """

    private static let filling = "INSERT INTO moment \(counting)"

    /// SQL for all moments, computed from the assets.
    private static let counting = """
        WITH near AS (
            SELECT created_at, sequence, utc_offset_s, row_number() OVER taken AS place,
                \(joins(
                    Taken(
                        time: "lag(created_at) OVER taken", offset: "lag(utc_offset_s) OVER taken"),
                    Taken(time: "created_at", offset: "utc_offset_s"))) AS joins_before,
                \(joins(
                    Taken(time: "created_at", offset: "utc_offset_s"),
                    Taken(
                        time: "lead(created_at) OVER taken",
                        offset: "lead(utc_offset_s) OVER taken"))) AS joins_after
            FROM asset WHERE in_view = 1 WINDOW taken AS (ORDER BY created_at, sequence)),
        first AS (SELECT *, row_number() OVER (ORDER BY place) AS number FROM near
            WHERE NOT joins_before),
        last AS (SELECT *, row_number() OVER (ORDER BY place) AS number FROM near
            WHERE NOT joins_after)
        SELECT first.created_at AS start_time, first.sequence AS first_sequence, first.utc_offset_s,
            last.created_at, last.sequence, last.utc_offset_s, last.place - first.place + 1
        FROM first JOIN last USING (number)
        """
}
