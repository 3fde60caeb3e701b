// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Library
internal import LinuxIO
internal import Media
internal import Recording

extension MovieRecorder.Configuration {
    /// Of a movie that the library has noted.
    ///
    /// - Parameter moment: nanoseconds of `CLOCK_MONOTONIC`.
    func order(
        _ note: NewRecording, _ path: String, at moment: Int64, _ rotation: Rotation
    ) -> MovieOrder {
        var order = MovieOrder(id: note.id, path: path, moment: moment)
        order.minimumFreeBytes = reserve
        order.rotation = rotation
        let label = camera.label(of: note.deviceName ?? "")
        (order.metadata.make, order.metadata.model) = (label.make, label.model)
        order.metadata.software = software
        order.metadata.location = note.location
        return order
    }
}

extension NewRecording {
    /// What is known of a movie that begins at `moment`, nanoseconds of `CLOCK_MONOTONIC`.
    init(at moment: Int64, _ configuration: MovieRecorder.Configuration, session: String?) {
        let clocks = MomentClocks(at: moment)
        self.init(
            id: UUID(),
            createdAt: WallTime(
                nanoseconds: clocks.wallTime, utcOffsetSeconds: clocks.utcOffset),
            timeConfidence: Asset.TimeConfidence(
                isSynchronized: clocks.isRight, hasHardwareClock: Clock.hasHardwareClock))
        (bootID, boottime) = (Clock.bootIdentifier, clocks.bootTime)
        (deviceName, sessionID) = (configuration.camera.id, session)
        location = configuration.location
    }

    /// The same with the time of its first picture.
    private func begun(with movie: FinishedMovie) -> NewRecording {
        var note = self
        note.createdAt = WallTime(
            nanoseconds: movie.wallTime, utcOffsetSeconds: movie.utcOffset)
        note.boottime = movie.bootTime
        note.timeConfidence = Asset.TimeConfidence(
            isSynchronized: movie.clockIsRight, hasHardwareClock: Clock.hasHardwareClock)
        return note
    }

    /// As the library takes it when its file is complete.
    func finished(_ movie: FinishedMovie) -> RecordedMovie {
        RecordedMovie(
            begun(with: movie), dimensions: movie.dimensions,
            orientation: movie.orientation.rawValue,
            duration: MediaTime(nanoseconds: movie.duration), thumbnail: movie.thumbnail)
    }
}
