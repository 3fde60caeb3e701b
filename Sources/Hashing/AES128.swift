// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGcrypt

/// Decrypts AES-128 in CBC mode with libgcrypt. Not thread-safe.
@safe
package struct AES128: ~Copyable {
    /// The size of a block.
    package static let blockBytes = 16
    private let cipher: gcry_cipher_hd_t

    /// Returns `nil` unless the key and the first block's vector have 16 bytes each.
    package init?(key: [UInt8], vector: [UInt8]) {
        guard key.count == Self.blockBytes, vector.count == Self.blockBytes else { return nil }
        Digest.begin()
        var cipher: gcry_cipher_hd_t?
        let algorithm = CInt(GCRY_CIPHER_AES.rawValue)
        _ = unsafe gcry_cipher_open(&cipher, algorithm, CInt(GCRY_CIPHER_MODE_CBC.rawValue), 0)
        guard let cipher = unsafe cipher else { preconditionFailure("libgcrypt has no AES") }
        unsafe self.cipher = cipher
        guard unsafe gcry_cipher_setkey(cipher, key, key.count) == 0,
            unsafe gcry_cipher_setiv(cipher, vector, vector.count) == 0
        else { preconditionFailure("libgcrypt refuses a key") }
    }

    deinit { unsafe gcry_cipher_close(cipher) }

    /// Returns the decrypted bytes of the next blocks.
    /// - Parameter blocks: A multiple of ``blockBytes`` bytes.
    package mutating func decrypt(_ blocks: [UInt8]) -> [UInt8] {
        var blocks = blocks
        let count = blocks.count
        guard unsafe gcry_cipher_decrypt(cipher, &blocks, count, nil, 0) == 0 else {
            preconditionFailure("\(count) bytes are no whole blocks")
        }
        return blocks
    }
}
