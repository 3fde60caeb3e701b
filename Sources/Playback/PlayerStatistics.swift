// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// Counters of a player. Any thread may read them.
public final class PlayerStatistics: Sendable {
    private let counts = InlineArray<5, Atomic<Int>> { _ in Atomic(0) }

    enum Count: Int {
        case shown, late, unshown, stalls, underruns
    }

    /// Pictures that were given to the display, or would have been if there were one.
    public var picturesShown: Int { count(.shown) }
    /// Pictures that were dropped because a later one was due.
    public var picturesLate: Int { count(.late) }
    /// Pictures that were dropped because the display had no memory for them.
    public var picturesUnshown: Int { count(.unshown) }
    /// How often the item's data did not come fast enough.
    public var stalls: Int { count(.stalls) }
    /// How often the sound device ran out of samples.
    public var soundUnderruns: Int { count(.underruns) }

    private func count(_ count: Count) -> Int { counts[count.rawValue].load(ordering: .relaxed) }

    func add(_ number: Int = 1, to count: Count) {
        counts[count.rawValue].add(number, ordering: .relaxed)
    }
}
