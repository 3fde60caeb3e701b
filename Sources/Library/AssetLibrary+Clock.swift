// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import LinuxIO

extension AssetLibrary {
    /// The same moment on two clocks, read when the wall clock was known to be right.
    public struct ClockReading: Sendable {
        /// The boot to which ``boottime`` belongs.
        public let bootID: String
        /// `CLOCK_BOOTTIME`, nanoseconds.
        public let boottime: Int64
        /// `CLOCK_REALTIME`, nanoseconds since 1970.
        public let wall: Int64

        /// Creates a reading. The caller ensures that both times are of one moment in that boot.
        public init(bootID: String, boottime: Int64, wall: Int64) {
            self.bootID = bootID
            self.boottime = boottime
            self.wall = wall
        }

        /// The current time in this boot.
        public static var now: ClockReading {
            ClockReading(bootID: Clock.bootIdentifier, boottime: Clock.boot, wall: Clock.wall)
        }
    }

    /// The largest error, in nanoseconds, with which a wall clock counts as right.
    private static let tolerance: Int64 = 1_000_000_000
    private static let batch = 200

    /// Corrects the times of assets that were taken in this boot before the clock was right. The
    /// elapsed time is known, because `CLOCK_BOOTTIME` cannot be set. Order, originals and paths
    /// stay; the names of exported copies follow the new time.
    /// - Returns: The number of assets whose time changed.
    @discardableResult
    public func correctTimes(by reading: ClockReading) throws(LibraryError) -> Int {
        try requireWritable()
        var corrected = 0
        while true {
            let (seen, changed) = try change(from: .clock) { db in
                let rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT sequence, created_at, boottime, file_name FROM asset
                        WHERE boot_id = ? AND boottime IS NOT NULL
                            AND time_confidence IN ('unknown', 'estimated')
                        ORDER BY sequence LIMIT \(Self.batch)
                        """, arguments: [reading.bootID])
                var changed = 0
                for row in rows where try Self.correct(db, row, by: reading) { changed += 1 }
                return (rows.count, changed)
            }
            corrected += changed
            if seen < Self.batch { return corrected }
        }
    }

    /// Updates an asset's confidence, and its time if wrong. Returns whether the time changed.
    private static func correct(
        _ db: Database, _ row: Row, by reading: ClockReading
    ) throws -> Bool {
        let sequence: Int64 = row[0]
        let stored: Int64 = row[1]
        let taken: Int64 = row[2]
        let name: String = row[3]
        let time = reading.wall - (reading.boottime - taken)
        let isRight = abs(time - stored) < tolerance
        let created = WallTime(
            nanoseconds: isRight ? stored : time,
            utcOffsetSeconds: Clock.utcOffset(at: isRight ? stored : time))
        let fileExtension = name.split(separator: ".").last.map(String.init) ?? "jpg"
        try db.cachedStatement(
            sql: """
                UPDATE asset SET time_confidence = ?, created_at = ?, utc_offset_s = ?,
                    time_correction_ns = time_correction_ns + ?, file_name = ?, modified_at = ?
                WHERE sequence = ?
                """
        ).execute(arguments: [
            (isRight ? Asset.TimeConfidence.synchronized : .corrected).rawValue,
            created.nanoseconds, created.utcOffsetSeconds, created.nanoseconds - stored,
            isRight
                ? name
                : LibraryLayout.exportName(
                    created, sequence: sequence, fileExtension: fileExtension),
            Clock.wall, sequence,
        ])
        try db.cachedStatement(
            sql: "INSERT INTO change (kind, asset, origin) VALUES ('updated', ?, 'clock')"
        ).execute(arguments: [sequence])
        return !isRight
    }
}
