// SPDX-License-Identifier: GPL-3.0-or-later

internal import Hashing
internal import Synchronization

/// The bytes of a source that is encrypted by AES-128 in CBC mode with the padding of PKCS #7
/// (RFC 8216, section 4.3.2.4).
final class DecryptingSource: MediaSource {
    private let source: any MediaSource

    fileprivate struct State: ~Copyable {
        var decryptor: AES128
        /// Encrypted bytes that are no whole block yet.
        var encrypted: [UInt8] = []
        /// The last whole block, which may have padding.
        var last: [UInt8] = []
        /// Bytes that can be read.
        var decrypted: ArraySlice<UInt8> = []
        var isAtEnd = false
    }
    private let state: Mutex<State>

    /// - Parameters:
    ///   - key: 32 hexadecimal digits.
    ///   - vector: The vector of the first block, 32 hexadecimal digits.
    /// - Throws: `unsupported` for another key.
    init(_ source: any MediaSource, key: String, vector: String) throws(CodecError) {
        guard let key = [UInt8](hexadecimal: key), let vector = [UInt8](hexadecimal: vector),
            let decryptor = AES128(key: key, vector: vector)
        else { throw CodecError(.unsupported, "the stream's key is not one of AES-128") }
        self.source = source
        state = Mutex(State(decryptor: decryptor))
    }

    var isSeekable: Bool { false }

    var bytes: Int64? { nil }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try state.withLock { state in
            while state.decrypted.isEmpty, !state.isAtEnd {
                let count = try unsafe source.read(into: buffer)
                try state.take(unsafe Array(buffer.prefix(count)))
            }
            let part = state.decrypted.prefix(buffer.count)
            unsafe buffer.copyBytes(from: part)
            state.decrypted = state.decrypted.dropFirst(part.count)
            return part.count
        }
    }

    func seek(to offset: Int64) throws {
        throw CodecError(.unsupported, "an encrypted stream cannot go to another place")
    }
}

extension DecryptingSource.State {
    /// Decrypts the next bytes; none of them is the end.
    fileprivate mutating func take(_ new: [UInt8]) throws {
        guard !new.isEmpty else {
            isAtEnd = true
            let padding = Int(last.last ?? 0)
            guard encrypted.isEmpty, (1...AES128.blockBytes).contains(padding) else {
                throw CodecError(.truncated, "an encrypted part of the stream is cut off")
            }
            decrypted = last.dropLast(padding)
            return
        }
        encrypted += new
        let whole = encrypted.count / AES128.blockBytes * AES128.blockBytes
        guard whole > 0 else { return }
        let blocks = decryptor.decrypt(Array(encrypted[..<whole]))
        encrypted.removeFirst(whole)
        decrypted = (last + blocks.dropLast(AES128.blockBytes))[...]
        last = Array(blocks.suffix(AES128.blockBytes))
    }
}
