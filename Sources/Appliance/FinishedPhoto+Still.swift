// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library
internal import LinuxIO
internal import Media
internal import Recording

extension FinishedPhoto {
    /// A still as the library takes it.
    init(_ still: FinishedStill, deviceName: String, session: String? = nil) {
        self.init(
            id: still.id, chunks: still.chunks, width: still.dimensions.width,
            height: still.dimensions.height, orientation: still.orientation,
            createdAt: WallTime(nanoseconds: still.wallTime, utcOffsetSeconds: still.utcOffset),
            timeConfidence: Asset.TimeConfidence(
                isSynchronized: still.clockIsRight, hasHardwareClock: Clock.hasHardwareClock),
            bootID: Clock.bootIdentifier, boottime: still.bootTime,
            frameSequence: Int64(still.frameSequence),
            shutterOffsetMicroseconds: still.shutterOffset / 1000,
            shutterReference: .frameTimestamp,
            deviceName: deviceName, sessionID: session, location: still.location,
            thumbnail: still.thumbnail, raw: still.raw)
    }
}
