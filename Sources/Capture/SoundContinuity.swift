// SPDX-License-Identifier: GPL-3.0-or-later

package import Media

/// Detects samples that were lost without an error. After a suspension that outlasts the driver's
/// ring buffer, the buffer may have wrapped although the driver reports no overrun.
package struct SoundContinuity: Sendable {
    /// The usual error of drivers' timestamps; nanoseconds.
    private static let noise: Int64 = 60_000_000

    private let least: Int64
    /// When the last chunk ended.
    private var end: Int64?

    /// The length of the driver's `buffer` is in nanoseconds; a loss is at least that long.
    package init(buffer: Int64) { least = max(buffer - Self.noise, Self.noise) }

    /// Declares that the next chunk does not follow another.
    package mutating func restart() { end = nil }

    /// - Returns: whether samples are missing before this chunk.
    package mutating func isBroken(by chunk: AudioChunk) -> Bool {
        let gap = chunk.time - (end ?? chunk.time)
        end = chunk.time + chunk.duration
        return gap > least
    }
}
