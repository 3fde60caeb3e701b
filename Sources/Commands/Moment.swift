// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import Library
internal import LinuxIO

/// A moment as a person writes it, in local time: `2026-11-21` or `2026-11-21T12:30`, optionally
/// with seconds, or as in the asset's JSON. `7d`, `12h` and `30m` count back from now.
struct Moment: ExpressibleByArgument, Equatable {
    let time: WallTime

    init?(argument: String) { self.init(argument, now: Clock.wall) }

    init?(_ text: String, now: Int64) {
        guard let time = Self.ago(text, now) ?? WallTime(text) ?? Self.local(text) else {
            return nil
        }
        self.time = time
    }

    private static func ago(_ text: String, _ now: Int64) -> WallTime? {
        let seconds: [Character: Int64] = ["d": 86_400, "h": 3600, "m": 60]
        guard let unit = text.last.flatMap({ seconds[$0] }),
            let count = Int64(text.dropLast()), (0...9_000_000_000 / unit).contains(count)
        else { return nil }
        let moment = now - count * unit * 1_000_000_000
        return WallTime(nanoseconds: moment, utcOffsetSeconds: Clock.utcOffset(at: moment))
    }

    private static func local(_ text: String) -> WallTime? {
        // Omitted parts of the time are zero.
        let whole = text + "0000-00-00T00:00:00".dropFirst(text.count)
        guard [10, 16, 19].contains(text.count), let inUTC = WallTime("\(whole).000+00:00") else {
            return nil
        }
        // Times near the representable limits are refused, so that nothing overflows.
        guard abs(inUTC.nanoseconds / 2) < .max / 2 - nanoseconds(86_400) else { return nil }
        let near = inUTC.nanoseconds - nanoseconds(Clock.utcOffset(at: inUTC.nanoseconds))
        let offset = Clock.utcOffset(at: near)
        return WallTime(
            nanoseconds: inUTC.nanoseconds - nanoseconds(offset), utcOffsetSeconds: offset)
    }

    private static func nanoseconds(_ seconds: Int) -> Int64 { Int64(seconds) * 1_000_000_000 }
}
