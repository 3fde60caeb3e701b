// SPDX-License-Identifier: GPL-3.0-or-later

/// The queries that find the assets to remove. Each reads an index in the order of removal.
package enum RetentionQuery: CaseIterable, Sendable {
    /// Deleted assets whose days are over. Argument: the current time.
    case overdue
    /// All deleted assets, even before their days are over.
    case deleted
    /// Assets that are too old. Argument: the time before which they were taken.
    case old
    /// All assets that may be removed by count and space.
    case expendable

    /// The condition of the index `asset_expendable`.
    private static let ordinary = "deleted_at IS NULL AND favorite = 0 AND recovered = 0"

    /// The columns of a ``RetentionReport/Item``; its bytes are those of the original and the RAW.
    static let columns = """
        sequence, id, file_name, bytes + coalesce(
            (SELECT raw.bytes FROM alternate_photo AS raw WHERE raw.asset = sequence), 0)
        """

    var condition: String {
        switch self {
        case .overdue: "deleted_at IS NOT NULL AND purge_at <= ?"
        case .deleted: "deleted_at IS NOT NULL"
        case .old:
            // The time of a clock that was never compared may be years off.
            """
            \(Self.ordinary) AND time_confidence IN ('synchronized', 'corrected')
                AND created_at < ?
            """
        case .expendable: Self.ordinary
        }
    }

    /// The statement after its `SELECT`.
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
