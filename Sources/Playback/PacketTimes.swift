// SPDX-License-Identifier: GPL-3.0-or-later

package import Media

/// The times of packets whose pictures have not come yet, by the tags that a decoder returns with
/// the pictures. Some packets give no picture.
package struct PacketTimes {
    /// More packets than a decoder keeps: 16 pictures wait for earlier ones, and others for memory.
    package static let limit = 64

    private var times: [Int: (time: MediaTime, duration: MediaTime)] = [:]
    private var lastTag = 0

    package init() {}

    /// The tag for the next packet.
    package var nextTag: Int { lastTag + 1 }

    /// Notes that the next packet was sent.
    package mutating func add(time: MediaTime, duration: MediaTime) {
        lastTag += 1
        times[lastTag] = (time, duration)
        // Older packets give no picture any more.
        times[lastTag - Self.limit] = nil
    }

    /// Returns the time and the duration of a packet once; `nil` if it was forgotten.
    package mutating func take(_ tag: Int) -> (time: MediaTime, duration: MediaTime)? {
        times.removeValue(forKey: tag)
    }

    /// Forgets the packets whose pictures have not come.
    package mutating func removeAll() { times = [:] }

    /// The number of packets whose pictures have not come.
    package var count: Int { times.count }
}
