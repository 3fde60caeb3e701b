// SPDX-License-Identifier: GPL-3.0-or-later

/// A SHA-256 hash of data in pieces.
package struct SHA256: ~Copyable {
    private var digest = Digest([.sha256])

    package init() {}

    package mutating func update(_ bytes: [UInt8]) { digest.update(bytes) }

    /// Returns the digest, 32 bytes.
    package consuming func finalize() -> [UInt8] { digest.value(.sha256) }

    package static func hash(_ chunks: [[UInt8]]) -> [UInt8] {
        var hasher = SHA256()
        for chunk in chunks { hasher.update(chunk) }
        return hasher.finalize()
    }
}
