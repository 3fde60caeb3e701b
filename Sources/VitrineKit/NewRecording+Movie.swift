// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
public import Library
internal import LinuxIO
internal import Media
public import Recording

extension NewRecording {
    /// Notes a movie before its recording begins.
    /// - Parameters:
    ///   - moment: the begin in nanoseconds of `CLOCK_MONOTONIC`.
    ///   - deviceName: the camera's name in the library.
    ///   - session: the name of the guest's visit; `nil` for none.
    public init(at moment: Int64, deviceName: String, session: String? = nil) {
        let clocks = ClockReadings(at: moment)
        self.init(
            id: UUID(),
            createdAt: WallTime(
                nanoseconds: clocks.wallTime, utcOffsetSeconds: clocks.utcOffset),
            timeConfidence: Asset.TimeConfidence(
                isSynchronized: clocks.isRight, hasHardwareClock: Clock.hasHardwareClock))
        (bootID, boottime) = (Clock.bootIdentifier, clocks.bootTime)
        (self.deviceName, sessionID) = (deviceName, session)
    }

    /// Notes a movie that begins now.
    public init(deviceName: String, session: String? = nil) {
        self.init(at: Clock.monotonic, deviceName: deviceName, session: session)
    }

    /// The recording whose file is complete, with the time of its first picture.
    public func finished(_ movie: FinishedMovie) -> RecordedMovie {
        var note = self
        note.createdAt = WallTime(
            nanoseconds: movie.wallTime, utcOffsetSeconds: movie.utcOffset)
        note.boottime = movie.bootTime
        note.timeConfidence = Asset.TimeConfidence(
            isSynchronized: movie.clockIsRight, hasHardwareClock: Clock.hasHardwareClock)
        return RecordedMovie(
            note, dimensions: movie.dimensions, orientation: movie.orientation.rawValue,
            duration: MediaTime(nanoseconds: movie.duration), thumbnail: movie.thumbnail)
    }
}
