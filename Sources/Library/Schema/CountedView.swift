// SPDX-License-Identifier: GPL-3.0-or-later

/// A set of assets whose count and bytes triggers keep in the table view_counter.
struct CountedView: Sendable {
    let name: String
    /// The SQL condition for its members, in which `$` stands for the asset.
    private let members: String

    static let all = [
        CountedView(name: "view", members: "$.in_view"),
        CountedView(name: "favorites", members: "$.favorite AND $.in_view"),
        CountedView(name: "videos", members: "$.media_type = 'video' AND $.in_view"),
        CountedView(name: "bursts", members: "$.represents_burst AND $.in_view"),
        CountedView(name: "hidden", members: "$.hidden AND $.deleted_at IS NULL"),
        CountedView(name: "deleted", members: "$.deleted_at IS NOT NULL"),
        CountedView(name: "photos", members: "$.media_type = 'photo' AND $.in_view"),
        CountedView(name: "timelapses", members: "$.subtypes & 2 AND $.in_view"), expendable,
    ]

    /// The assets that retention may purge by number and space.
    static let expendable = CountedView(
        name: "expendable",
        members: "$.deleted_at IS NULL AND $.favorite = 0 AND $.recovered = 0")

    /// SQL that creates the row and its triggers. Released migrations use it, so it never changes.
    var keeping: String {
        let new = "(\(members.replacing("$", with: "new")))"
        let old = "(\(members.replacing("$", with: "old")))"
        return """
            INSERT INTO view_counter VALUES ('\(name)', 0, 0);
            CREATE TRIGGER \(name)_counted AFTER INSERT ON asset WHEN \(new) BEGIN
                UPDATE view_counter SET count = count + 1, bytes = bytes + new.bytes
                WHERE name = '\(name)';
            END;
            CREATE TRIGGER \(name)_uncounted AFTER DELETE ON asset WHEN \(old) BEGIN
                UPDATE view_counter SET count = count - 1, bytes = bytes - old.bytes
                WHERE name = '\(name)';
            END;
            CREATE TRIGGER \(name)_recounted AFTER UPDATE ON asset
                WHEN \(old) IS NOT \(new) OR (\(new) AND old.bytes <> new.bytes) BEGIN
                UPDATE view_counter SET count = count - \(old) + \(new),
                    bytes = bytes - \(old) * old.bytes + \(new) * new.bytes
                WHERE name = '\(name)';
            END;
            """
    }

    var recounting: String {
        "UPDATE view_counter SET (count, bytes) = (\(counted)) WHERE name = '\(name)'"
    }

    /// The SQL that counts the assets and their bytes.
    var counted: String {
        let condition = members.replacing("$.", with: "")
        return "SELECT count(*), coalesce(sum(bytes), 0) FROM asset WHERE \(condition)"
    }
}
