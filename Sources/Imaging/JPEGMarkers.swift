// SPDX-License-Identifier: GPL-3.0-or-later

/// The colour information in a JPEG file's segments. Reading is safe on any input.
public enum JPEGMarkers {
    /// Returns the ICC profile, joined from its APP2 segments (ICC.1:2010, annex B.4). Returns
    /// `nil` unless all are there.
    public static func profile(_ file: [UInt8]) -> [UInt8]? {
        let name = Array("ICC_PROFILE\0".utf8)
        var parts: [UInt8: ArraySlice<UInt8>] = [:]
        var count: UInt8 = 0
        forEachSegment(file) { marker, payload in
            guard marker == 0xe2, payload.starts(with: name), payload.count > name.count + 2 else {
                return
            }
            let rest = payload.dropFirst(name.count)
            count = rest[rest.startIndex + 1]
            parts[rest[rest.startIndex]] = rest.dropFirst(2)
        }
        guard count > 0, parts.count == Int(count) else { return nil }
        var profile: [UInt8] = []
        for number in 1...count {
            guard let part = parts[number] else { return nil }
            profile += part
        }
        return profile.count <= ColorProfile.mostBytes ? profile : nil
    }

    /// Returns the segments that carry a profile, with their markers; none if it does not fit.
    public static func segments(ofProfile profile: [UInt8]) -> [[UInt8]] {
        let most = 65_519
        let count = (profile.count + most - 1) / most
        guard (1...255).contains(count) else { return [] }
        return (0..<count).map { index in
            let part = profile[index * most..<min((index + 1) * most, profile.count)]
            let length = part.count + 16
            return [0xff, 0xe2, UInt8(length >> 8), UInt8(length & 0xff)]
                + Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(count)] + part
        }
    }

    /// Whether the file has Adobe's APP14 segment. Adobe's programs write inks inverted (Adobe
    /// Technical Note 5116).
    static func isOfAdobe(_ file: [UInt8]) -> Bool {
        var isThere = false
        forEachSegment(file) { marker, payload in
            if marker == 0xee, payload.starts(with: Array("Adobe".utf8)) { isThere = true }
        }
        return isThere
    }

    /// Calls `body` for the segments before the first scan or the first malformed segment.
    private static func forEachSegment(
        _ file: [UInt8], _ body: (_ marker: UInt8, _ payload: ArraySlice<UInt8>) -> Void
    ) {
        var at = 2
        while at + 3 < file.count, file[at] == 0xff {
            let marker = file[at + 1]
            if marker == 0xff {
                at += 1
                continue
            }
            let end = at + 2 + Int(file[at + 2]) << 8 + Int(file[at + 3])
            guard marker != 0xda, marker != 0xd9, end >= at + 4, end <= file.count else { return }
            body(marker, file[at + 4..<end])
            at = end
        }
    }
}
