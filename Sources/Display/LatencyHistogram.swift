// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// A histogram of the times that frames take to the screen, by quarter milliseconds. One thread
/// writes it, any thread reads it. The counts are halved now and then, so that old ones fade.
final class LatencyHistogram: Sendable {
    private static let bucketNanoseconds: Int64 = 250_000
    private static let capacity = 8192
    private let counts = Mutex((buckets: [UInt32](repeating: 0, count: 1200), total: UInt32(0)))

    func add(_ nanoseconds: Int64) {
        counts.withLock { counts in
            let bucket = Int(max(0, nanoseconds) / Self.bucketNanoseconds)
            counts.buckets[min(bucket, counts.buckets.count - 1)] += 1
            counts.total += 1
            if counts.total < Self.capacity { return }
            counts.total = 0
            for index in counts.buckets.indices {
                counts.buckets[index] /= 2
                counts.total += counts.buckets[index]
            }
        }
    }

    /// Returns the time in milliseconds that the share `quantile` of all frames stayed under; `nil`
    /// if there are none.
    func quantile(_ quantile: Double) -> Double? {
        counts.withLock { counts in
            if counts.total == 0 { return nil }
            var left = Int((Double(counts.total) * quantile).rounded(.up))
            for (bucket, count) in counts.buckets.enumerated() {
                left -= Int(count)
                if left <= 0 {
                    return Double(bucket + 1) * Double(Self.bucketNanoseconds) / 1_000_000
                }
            }
            return nil
        }
    }
}
