// SPDX-License-Identifier: GPL-3.0-or-later

package import Media

/// Notices samples that were lost without an error: a machine that stands still for longer than the driver's buffer
/// lasts may find that it has gone round, and that all is well.
package struct SoundContinuity: Sendable {
    /// So far the times that drivers tell are usually wrong; nanoseconds.
    private static let noise: Int64 = 60_000_000

    private let least: Int64
    /// When the last chunk was over.
    private var end: Int64?

    /// - Parameter buffer: what the driver keeps, nanoseconds; no less than that goes by.
    package init(buffer: Int64) { least = max(buffer - Self.noise, Self.noise) }

    /// The next chunk follows nothing.
    package mutating func restart() { end = nil }

    /// - Returns: whether samples are missing between the chunk before and this one.
    package mutating func isBroken(by chunk: AudioChunk) -> Bool {
        let gap = chunk.time - (end ?? chunk.time)
        end = chunk.time + chunk.duration
        return gap > least
    }
}
