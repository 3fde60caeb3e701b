// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGLib

/// SHA-256 of what it is fed, piece by piece (GLib's `GChecksum`).
@safe
struct SHA256: ~Copyable {
    private static let length = 32
    private let checksum: OpaquePointer

    init() {
        guard let checksum = unsafe g_checksum_new(G_CHECKSUM_SHA256) else {
            preconditionFailure("GLib has no SHA-256")
        }
        unsafe self.checksum = checksum
    }

    deinit { unsafe g_checksum_free(checksum) }

    mutating func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer {
            unsafe g_checksum_update(checksum, $0.baseAddress, $0.count)
        }
    }

    /// The digest's 32 bytes.
    consuming func finalize() -> [UInt8] {
        unsafe Array(unsafeUninitializedCapacity: Self.length) { buffer, count in
            var room = gsize(Self.length)
            unsafe g_checksum_get_digest(checksum, buffer.baseAddress, &room)
            count = Int(room)
        }
    }

    static func hash(_ chunks: [[UInt8]]) -> [UInt8] {
        var hasher = SHA256()
        for chunk in chunks { hasher.update(chunk) }
        return hasher.finalize()
    }
}
