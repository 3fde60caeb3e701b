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

    /// The columns, and whether this remote has everything of the asset. Argument: its name.
    static let columnsAtRemote = """
        \(columns), EXISTS (
            SELECT 1 FROM sync_remote WHERE name = ? AND EXISTS (
                SELECT 1 FROM sync_object AS sent WHERE sent.asset = asset.sequence
                    AND sent.remote = number AND sent.kind = 'original'
                    AND sent.state = 'verified' AND sent.sha256 = asset.sha256)
                AND NOT EXISTS (
                    \(AssetLibrary.missing("asset.sequence", "number", renditions: true))))
        """

    /// The condition for assets whose original is here.
    static let isHere =
        "NOT EXISTS (SELECT 1 FROM evicted_original AS gone WHERE gone.asset = asset.sequence)"

    /// The statement after its `SELECT`.
    package var source: String { source(Self.columns, condition) }

    /// The statement after its `SELECT`, for assets whose original is here. The first argument is
    /// the remote's name.
    package var sourceAtRemote: String {
        source(Self.columnsAtRemote, "\(condition) AND \(Self.isHere)")
    }

    private func source(_ columns: String, _ condition: String) -> String {
        let (index, order) =
            switch self {
            case .overdue, .deleted: ("asset_deleted", "deleted_at, sequence")
            case .old: ("asset_time", "created_at, sequence")
            case .expendable: ("asset_expendable", "sequence")
            }
        return """
            \(columns) FROM asset INDEXED BY \(index)
            WHERE \(condition) ORDER BY \(order)
            """
    }
}
