// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs

extension MovieMetadata {
    init(_ metadata: MovieOrder.Metadata, _ clocks: ClockReadings) {
        self.init(createdAt: clocks.wallTime / 1_000_000_000)
        (make, model, software) = (metadata.make, metadata.model, metadata.software)
        location = metadata.location
    }
}
