// SPDX-License-Identifier: GPL-3.0-or-later

/// Where what goes is found, the first first: each by an index that has it in that order.
package enum RetentionQuery: CaseIterable, Sendable {
    /// What was deleted and whose days are over. Bound: the moment.
    case overdue
    /// What was deleted, its days or not.
    case deleted
    /// What is too old. Bound: the moment before which it was taken.
    case old
    /// All that may go by number and space.
    case expendable

    /// See the index asset_expendable.
    private static let ordinary = "deleted_at IS NULL AND favorite = 0 AND recovered = 0"

    /// Of an asset, with what its files take up together.
    static let columns = """
        sequence, id, file_name, bytes + coalesce(
            (SELECT raw.bytes FROM alternate_photo AS raw WHERE raw.asset = sequence), 0)
        """

    var condition: String {
        switch self {
        case .overdue: "deleted_at IS NOT NULL AND purge_at <= ?"
        case .deleted: "deleted_at IS NOT NULL"
        case .old:
            // A clock that nobody has compared may be years off.
            """
            \(Self.ordinary) AND time_confidence IN ('synchronized', 'corrected')
                AND created_at < ?
            """
        case .expendable: Self.ordinary
        }
    }

    /// What follows `SELECT`.
    package var source: String {
        let (index, order) =
            switch self {
            case .overdue, .deleted: ("asset_deleted", "deleted_at, sequence")
            case .old: ("asset_time", "created_at, sequence")
            case .expendable: ("asset_expendable", "sequence")
            }
        return """
            \(Self.columns) FROM asset INDEXED BY \(index)
            WHERE \(condition) ORDER BY \(order)
            """
    }
}
