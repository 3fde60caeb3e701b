// SPDX-License-Identifier: GPL-3.0-or-later

/// How a viewer turns a photo upright. Source: EXIF 2.32, tag 0x0112.
struct ExifOrientation {
    /// 1 to 8.
    let rawValue: Int

    /// One that EXIF knows.
    init?(rawValue: Int) {
        guard (1...8).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// The same for a camera that is turned further, clockwise seen from behind it.
    func turned(_ degrees: Int) -> ExifOrientation? {
        for isMirrored in [false, true] {
            for rotation in [0, 90, 180, 270]
            where ExifOrientation(rotation: rotation, isMirrored: isMirrored)?.rawValue == rawValue
            {
                return ExifOrientation(
                    rotation: (rotation + degrees) % 360, isMirrored: isMirrored)
            }
        }
        return nil
    }

    /// - Parameters:
    ///   - rotation: degrees clockwise, before mirroring.
    ///   - isMirrored: left and right swapped, as a person sees the upright picture.
    /// - Returns: `nil` for anything but quarter turns.
    init?(rotation: Int, isMirrored: Bool) {
        switch (rotation, isMirrored) {
        case (0, false): rawValue = 1
        case (0, true): rawValue = 2
        case (90, false): rawValue = 6
        case (90, true): rawValue = 5
        case (180, false): rawValue = 3
        case (180, true): rawValue = 4
        case (270, false): rawValue = 8
        case (270, true): rawValue = 7
        default: return nil
        }
    }
}
