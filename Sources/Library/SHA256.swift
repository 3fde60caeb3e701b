// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGcrypt

/// A SHA-256 hash of data in pieces. libgcrypt uses the processor's instructions for it, if any.
@safe
struct SHA256: ~Copyable {
    private static let length = 32
    private static let isReady = cgcrypt_begin() != 0
    private let digest: gcry_md_hd_t

    init() {
        precondition(Self.isReady, "libgcrypt is older than the one that this was built with")
        var digest: gcry_md_hd_t?
        _ = unsafe gcry_md_open(&digest, CInt(GCRY_MD_SHA256.rawValue), 0)
        guard let digest = unsafe digest else { preconditionFailure("libgcrypt has no SHA-256") }
        unsafe self.digest = digest
    }

    deinit { unsafe gcry_md_close(digest) }

    mutating func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let start = unsafe buffer.baseAddress else { return }
            unsafe gcry_md_write(digest, start, buffer.count)
        }
    }

    /// Returns the digest, 32 bytes.
    consuming func finalize() -> [UInt8] {
        guard let bytes = unsafe gcry_md_read(digest, CInt(GCRY_MD_SHA256.rawValue)) else {
            preconditionFailure("libgcrypt gives no digest")
        }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: Self.length))
    }

    static func hash(_ chunks: [[UInt8]]) -> [UInt8] {
        var hasher = SHA256()
        for chunk in chunks { hasher.update(chunk) }
        return hasher.finalize()
    }
}
