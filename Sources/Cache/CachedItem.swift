// SPDX-License-Identifier: GPL-3.0-or-later

internal import Hashing
internal import LinuxIO

/// A complete file of the cache.
package struct CachedItem: Sendable, Equatable {
    /// The normalized URL.
    package let url: ContentURL
    /// The name of the file below the cache's folder.
    let file: String
    package let bytes: Int
    /// The hash of the file, 32 bytes.
    let sha256: [UInt8]
    /// The media type that the server gave; `nil` if none.
    package let contentType: String?
    let etag: String?
    let lastModified: String?
    /// When the request was sent and when the last byte was stored, nanoseconds since 1970.
    package let downloadStarted: Int64
    package let downloadEnded: Int64
    /// The moment from which the lifetime counts: the end of the download, or the last renewal.
    package let renewed: ContentMoment
    /// The seconds for which the file is fresh.
    package let lifetime: Double
    /// Whether a caller gave the lifetime. The server's rules do not count then.
    let hasOwnLifetime: Bool
    let control: CacheControl
    /// When the file was used last, nanoseconds since 1970.
    package let lastUsed: Int64
    package let hits: Int
    package let downloads: Int
    package let renewals: Int

    /// Returns the absolute path of the file.
    package func path(in folder: String) -> String { "\(folder)/\(file)" }

    /// The lifetime, if a caller gave it; `nil` if it is the server's.
    package var ownLifetime: Double? { hasOwnLifetime ? lifetime : nil }

    /// The hash, lower-case hexadecimal.
    package var hash: String { hexadecimal(sha256) }

    /// The wall time at which the lifetime ends, nanoseconds since 1970.
    package var expiryDate: Int64 {
        let (sum, isOver) = renewed.wall.addingReportingOverflow(
            Int64(min(lifetime, 9e9) * 1e9))
        return isOver ? .max : sum
    }

    /// The state of a file at some moment.
    package enum Freshness: Equatable, Sendable {
        case fresh
        /// The lifetime ended so many seconds ago; `nil` if nobody knows, because the clock was
        /// wrong.
        case stale(Double?)
    }

    package func freshness(at now: ContentMoment) -> Freshness {
        guard let age = now.seconds(since: renewed) else { return .stale(nil) }
        return age < lifetime ? .fresh : .stale(age - lifetime)
    }

    /// Returns whether the server lets a stale file be used while another is fetched.
    func mayServeWhileRevalidating(at now: ContentMoment) -> Bool {
        guard case .stale(let seconds?) = freshness(at: now), !hasOwnLifetime else { return false }
        return !control.mustRevalidate && seconds < control.staleWhileRevalidate
    }

    /// Returns whether the file may be used though the server gives no answer. It may if the server
    /// has no rule for that: a kiosk without a network goes on showing what it has.
    func mayServeInsteadOfError(at now: ContentMoment) -> Bool {
        if hasOwnLifetime { return true }
        if control.mustRevalidate { return false }
        guard let limit = control.staleIfError, case .stale(let seconds?) = freshness(at: now)
        else { return true }
        return seconds < limit
    }

    /// Returns why the file is not what a caller expects; `nil` if it is.
    func mismatch(with expectation: Expectation) -> String? {
        expectation.mismatch(contentType: contentType) ?? expectation.mismatch(sha256: sha256)
    }
}

/// The content that a caller expects at a URL. A captive portal answers every URL with its own page
/// and status 200.
package struct Expectation: Hashable, Sendable {
    /// The beginning of the media type, such as `image/`; `nil` for any.
    package var contentType: String?
    /// The hash of the content, 32 bytes; `nil` for any.
    package var sha256: [UInt8]?
    /// Whether the file must begin as a PNG or JPEG file does.
    package var isPicture = false

    package init() {}

    func mismatch(contentType found: String?) -> String? {
        guard let contentType, let found else { return nil }
        return found.lowercased().hasPrefix(contentType.lowercased())
            ? nil : "its type is \(found), not \(contentType)"
    }

    func mismatch(sha256 found: [UInt8]) -> String? {
        guard let sha256, sha256 != found else { return nil }
        return "its SHA-256 is \(hexadecimal(found)), not \(hexadecimal(sha256))"
    }

    func mismatch(beginning: [UInt8]) -> String? {
        let isKnown =
            beginning.starts(with: [0x89, 0x50, 0x4E, 0x47])
            || beginning.starts(with: [0xFF, 0xD8])
        return isPicture && !isKnown ? "it is no PNG or JPEG picture" : nil
    }
}

/// A file of the cache for a caller. Nobody removes it while this value, or a copy, is alive.
package struct ContentResult: Sendable {
    /// The origin of the bytes.
    package enum Source: Equatable, Sendable {
        /// The cache, without a look at the network.
        case cache
        /// The cache; the server said that its content is the same.
        case renewed
        case network
        /// The cache: the content is stale, and this is why there is no newer one. `nil`: one is on
        /// its way.
        case stale(ContentError?)
    }

    package let item: CachedItem
    package let source: Source
    let lease: FileLease

    /// Whether the bytes were in the cache before the call.
    package var isFromCache: Bool { source != .network }
    /// The absolute path of the file.
    package var path: String { lease.path }
}
