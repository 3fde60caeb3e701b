// SPDX-License-Identifier: GPL-3.0-or-later

/// The delay before the next attempt: a random time up to a limit that doubles with each attempt
/// (full jitter), so that kiosks that lost their remote together do not come back together.
package struct Backoff: Sendable {
    let first: Double
    let longest: Double

    /// Delays of up to 30 seconds after the first failure, and never more than an hour.
    package static let standard = Backoff(first: 30, longest: 3600)

    /// Returns the seconds after `attempts` failures.
    package func delay(
        attempts: Int, using generator: inout some RandomNumberGenerator
    ) -> Int {
        let doubled = first * Double(1 << min(max(attempts - 1, 0), 20))
        return Int(Double.random(in: 1...min(longest, doubled), using: &generator))
    }
}
