// SPDX-License-Identifier: GPL-3.0-or-later

package import Network

/// The rules of an answer for its own storage (RFC 9111, RFC 5861), in a cache of one user.
package struct CacheControl: Equatable, Sendable {
    /// Whether the answer may be stored at all.
    package var isStorable = true
    /// The seconds for which the answer is fresh.
    package var lifetime = 0.0
    /// Whether a stale copy must not be used without the server's consent.
    package var mustRevalidate = false
    /// The seconds after the lifetime in which a stale copy may be used while a new one is fetched.
    package var staleWhileRevalidate = 0.0
    /// The seconds after the lifetime in which a stale copy may replace an error; `nil` if the
    /// answer does not say it.
    package var staleIfError: Double?

    /// The most that a lifetime is guessed to be.
    private static let longestGuess = 86_400.0

    package init() {}

    package init(_ response: HTTPResponse) {
        var directives: [String: String] = [:]
        for part in (response["Cache-Control"] ?? "").split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            let name = pair[0].trimmingSpaces.lowercased()
            let value = pair.count > 1 ? pair[1].trimmingSpaces.filter { $0 != "\"" } : ""
            // The first of two equal directives counts (RFC 9111, section 4.2.1).
            if directives[name] == nil { directives[name] = value }
        }
        func seconds(_ name: String) -> Double? {
            directives[name].map { max(0, Double(Int64($0) ?? 0)) }
        }
        isStorable = directives["no-store"] == nil
        mustRevalidate = directives["must-revalidate"] != nil || directives["no-cache"] != nil
        staleWhileRevalidate = seconds("stale-while-revalidate") ?? 0
        staleIfError = seconds("stale-if-error")
        let age = response["Age"].flatMap { Int64($0) }.map(Double.init) ?? 0
        if directives["no-cache"] != nil {
            lifetime = 0
        } else if let given = seconds("max-age") {
            lifetime = max(0, given - age)
        } else if let expires = response["Expires"] {
            // An invalid date means "already expired" (section 5.3).
            let date = response["Date"].flatMap(HTTPDate.seconds) ?? HTTPDate.now
            lifetime = HTTPDate.seconds(expires).map { max(0, Double($0 - date) - age) } ?? 0
        } else if let changed = response["Last-Modified"].flatMap(HTTPDate.seconds),
            let date = response["Date"].flatMap(HTTPDate.seconds)
        {
            lifetime = min(max(0, Double(date - changed) / 10), Self.longestGuess)
        }
    }
}
