// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs

extension MovieMetadata {
    /// Of a movie that was ordered with it and has begun then.
    init(_ metadata: MovieOrder.Metadata, _ clocks: MomentClocks) {
        self.init(createdAt: clocks.wallTime / 1_000_000_000)
        (make, model, software) = (metadata.make, metadata.model, metadata.software)
        location = metadata.location
    }
}
