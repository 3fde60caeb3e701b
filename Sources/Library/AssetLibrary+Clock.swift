// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import LinuxIO

extension AssetLibrary {
    /// One moment on both clocks, read when the wall clock was known to be right.
    public struct ClockReading: Sendable {
        /// The boot that `boottime` counts from.
        public let bootID: String
        /// `CLOCK_BOOTTIME`, nanoseconds.
        public let boottime: Int64
        /// `CLOCK_REALTIME`, nanoseconds since 1970.
        public let wall: Int64

        /// Both times must be of one moment in that boot; nothing is checked.
        public init(bootID: String, boottime: Int64, wall: Int64) {
            self.bootID = bootID
            self.boottime = boottime
            self.wall = wall
        }

        /// Now, in this boot.
        public static var now: ClockReading {
            ClockReading(bootID: Clock.bootIdentifier, boottime: Clock.boot, wall: Clock.wall)
        }
    }

    /// A wall clock that is off by less was right.
    private static let tolerance: Int64 = 1_000_000_000
    private static let batch = 200

    /// Corrects the times of what was taken in this boot before the clock was right: the time since then
    /// is known, because it was counted by a clock that nobody sets. Order, originals and paths stay;
    /// names under which assets are exported follow their time.
    ///
    /// - Returns: how many assets have another time now.
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

    /// Answers whether the asset has another time now; how far that can be trusted is another in any case.
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
