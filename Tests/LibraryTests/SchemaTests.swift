// SPDX-License-Identifier: GPL-3.0-or-later

import Testing

@Suite("schema")
struct SchemaTests {
    @Test("counts of visible, favourite, hidden and deleted assets follow every change")
    func counters() async throws {
        let random = try await RandomLibrary(assets: 300, seed: 12)
        let counted = """
            SELECT name, count, bytes FROM view_counter
            WHERE name NOT IN ('alternatePhotos', 'notYetSynced') ORDER BY name
            """
        let visible = "hidden = 0 AND deleted_at IS NULL AND (burst_id IS NULL OR represents_burst)"
        let members = [
            "bursts": "represents_burst AND \(visible)",
            "deleted": "deleted_at IS NOT NULL", "favorites": "favorite AND \(visible)",
            "expendable": "deleted_at IS NULL AND NOT favorite AND NOT recovered",
            "hidden": "hidden AND deleted_at IS NULL",
            "photos": "media_type = 'photo' AND \(visible)",
            "timelapses": "subtypes & 2 AND \(visible)",
            "videos": "media_type = 'video' AND \(visible)", "view": visible,
        ]
        let recounted = members.sorted { $0.key < $1.key }.map {
            "SELECT '\($0.key)', count(*), coalesce(sum(bytes), 0) FROM asset WHERE \($0.value)"
        }.joined(separator: " UNION ALL ")
        for change in [
            "SELECT 1", "UPDATE asset SET hidden = 1 - hidden WHERE sequence % 3 = 0",
            "UPDATE asset SET deleted_at = iif(deleted_at IS NULL, 5, NULL) WHERE sequence % 4 = 0",
            "UPDATE asset SET favorite = 1 - favorite, bytes = bytes + 7 WHERE sequence % 5 = 0",
            "UPDATE asset SET burst_id = 'b', represents_burst = sequence % 2 WHERE sequence < 50",
            "DELETE FROM asset WHERE sequence % 7 = 0",
        ] {
            _ = try await random.folder.sqlite(change)
            let counts = try await random.folder.sqlite(counted)
            #expect(counts == (try await random.folder.sqlite(recounted)), "\(change)")
            #expect(counts.count == 9 && !counts.contains { $0.hasSuffix("|0|0") })
        }
    }
}
