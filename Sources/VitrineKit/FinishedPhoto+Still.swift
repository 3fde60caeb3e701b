// SPDX-License-Identifier: GPL-3.0-or-later

public import Library
internal import LinuxIO
internal import Media
public import Recording

extension FinishedPhoto {
    /// The photo that the library stores for a still.
    /// - Parameters:
    ///   - deviceName: the camera's name in the library.
    ///   - session: the name of the guest's visit; `nil` for none.
    public init(_ still: FinishedStill, deviceName: String, session: String? = nil) {
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
