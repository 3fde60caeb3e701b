// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Library

/// Returns a photo that a library accepts, although its bytes are no picture.
func photo() -> FinishedPhoto {
    FinishedPhoto(
        chunks: [Array(repeating: 7, count: 50_000)], width: 1, height: 1,
        createdAt: WallTime(nanoseconds: 1_795_347_005_000_000_000, utcOffsetSeconds: 0),
        timeConfidence: .estimated, bootID: "", boottime: 0, frameSequence: 0,
        shutterOffsetMicroseconds: 0, shutterReference: .frameTimestamp, deviceName: "test")
}
