// SPDX-License-Identifier: GPL-3.0-or-later

internal import Devices
internal import FoundationEssentials
internal import Library
internal import Media
internal import Recording
internal import VitrineKit

extension MovieRecorder.Configuration {
    /// Returns the order for a noted movie that begins at `moment`, in ns of `CLOCK_MONOTONIC`.
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
    /// Notes a movie that begins at `moment`, in nanoseconds of `CLOCK_MONOTONIC`.
    init(at moment: Int64, _ configuration: MovieRecorder.Configuration, session: String?) {
        self.init(at: moment, deviceName: configuration.camera.id, session: session)
        location = configuration.location
    }
}
