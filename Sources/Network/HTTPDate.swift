// SPDX-License-Identifier: GPL-3.0-or-later

internal import CCurl
internal import LinuxIO

/// The dates of HTTP's headers (RFC 9110, section 5.6.7).
package enum HTTPDate {
    /// Returns seconds since 1970; `nil` if the text is no date. All three forms are read.
    package static func seconds(_ text: String) -> Int64? {
        guard HTTPClient.loadingFailure() == nil else { return nil }
        let seconds = unsafe ccurl_date(text)
        return seconds < 0 ? nil : seconds
    }

    /// The wall time in seconds since 1970.
    package static var now: Int64 { Clock.wall / 1_000_000_000 }
}
