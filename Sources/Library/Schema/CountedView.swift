// SPDX-License-Identifier: GPL-3.0-or-later

/// A set of assets whose size and bytes triggers keep, in the table view_counter.
struct CountedView: Sendable {
    let name: String
    /// The condition of its members; `$` is the asset.
    private let members: String

    static let all = ofV3 + ofV4 + [expendable]

    static let ofV3 = [
        CountedView(name: "view", members: "$.in_view"),
        CountedView(name: "favorites", members: "$.favorite AND $.in_view"),
        CountedView(name: "videos", members: "$.media_type = 'video' AND $.in_view"),
        CountedView(name: "bursts", members: "$.represents_burst AND $.in_view"),
        CountedView(name: "hidden", members: "$.hidden AND $.deleted_at IS NULL"),
        CountedView(name: "deleted", members: "$.deleted_at IS NOT NULL"),
    ]

    static let ofV4 = [
        CountedView(name: "photos", members: "$.media_type = 'photo' AND $.in_view"),
        CountedView(name: "timelapses", members: "$.subtypes & 2 AND $.in_view"),
    ]

    /// Of version 5: what retention takes by number and space.
    static let expendable = CountedView(
        name: "expendable",
        members: "$.deleted_at IS NULL AND $.favorite = 0 AND $.recovered = 0")

    /// What makes the row, and the triggers that keep it: part of migrations that are released, so it never
    /// changes.
    var keeping: String {
        let new = "(\(members.replacing("$", with: "new")))"
        let old = "(\(members.replacing("$", with: "old")))"
        return """
            INSERT INTO view_counter SELECT '\(name)', 0, 0;
            \(recounting);
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

    /// What counts it anew.
    var recounting: String {
        "UPDATE view_counter SET (count, bytes) = (\(counted)) WHERE name = '\(name)'"
    }

    /// What gives its count and bytes.
    var counted: String {
        let condition = members.replacing("$.", with: "")
        return "SELECT count(*), coalesce(sum(bytes), 0) FROM asset WHERE \(condition)"
    }
}
