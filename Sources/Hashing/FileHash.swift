// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGcrypt
package import FoundationEssentials
package import LinuxIO

/// A hash that remotes keep of their objects. The raw values are rclone's names.
package enum FileHash: String, Sendable, CaseIterable {
    case sha256, sha1, md5

    fileprivate var algorithm: CInt {
        let number =
            switch self {
            case .sha256: GCRY_MD_SHA256
            case .sha1: GCRY_MD_SHA1
            case .md5: GCRY_MD_MD5
            }
        return CInt(number.rawValue)
    }

    fileprivate var length: Int {
        switch self {
        case .sha256: 32
        case .sha1: 20
        case .md5: 16
        }
    }

    /// Returns hashes of `content` in lower-case hexadecimal.
    package static func hashes(of content: Data, _ kinds: [FileHash]) -> [FileHash: String] {
        var digest = Digest(kinds)
        digest.update(Array(content))
        return digest.texts
    }

    /// Returns hashes of a file in lower-case hexadecimal. The file is read once.
    package static func hashes(
        ofFile path: String, _ kinds: [FileHash]
    ) throws(SystemCallError) -> [FileHash: String] {
        let file = try DurableFileReader(path)
        var digest = Digest(kinds)
        while true {
            let block = try file.read()
            if block.isEmpty { return digest.texts }
            digest.update(block)
        }
    }
}

/// Hashes of data in pieces. libgcrypt uses the processor's instructions for them, if any.
@safe
struct Digest: ~Copyable {
    /// Begins to use libgcrypt.
    static func begin() {
        precondition(isReady, "libgcrypt is older than the one that this was built with")
    }

    private static let isReady = cgcrypt_begin() != 0
    private let kinds: [FileHash]
    private let digest: gcry_md_hd_t

    init(_ kinds: [FileHash]) {
        Self.begin()
        var digest: gcry_md_hd_t?
        _ = unsafe gcry_md_open(&digest, 0, 0)
        guard let digest = unsafe digest else { preconditionFailure("libgcrypt has no memory") }
        for kind in kinds where unsafe gcry_md_enable(digest, kind.algorithm) != 0 {
            preconditionFailure("libgcrypt has no \(kind.rawValue)")
        }
        unsafe self.digest = digest
        self.kinds = kinds
    }

    deinit { unsafe gcry_md_close(digest) }

    mutating func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let start = unsafe buffer.baseAddress else { return }
            unsafe gcry_md_write(digest, start, buffer.count)
        }
    }

    /// Returns one of the hashes. Nothing can be added after that.
    func value(_ kind: FileHash) -> [UInt8] {
        guard let bytes = unsafe gcry_md_read(digest, kind.algorithm) else {
            preconditionFailure("libgcrypt gives no \(kind.rawValue)")
        }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: kind.length))
    }

    fileprivate var texts: [FileHash: String] {
        Dictionary(uniqueKeysWithValues: kinds.map { ($0, hexadecimal(value($0))) })
    }
}
