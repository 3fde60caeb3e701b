// SPDX-License-Identifier: GPL-3.0-or-later

/// The system's programs that read what Vitrine cannot read itself.
public protocol MediaPrograms: Sendable {
    /// Reads a whole video, packet by packet.
    /// - Throws: ``ImportError`` `noProgram`, `truncated`, `damaged`.
    func video(_ path: String) async throws -> VideoDescription
    /// Returns the tags of a video's container by FFmpeg's names. Reads no packet.
    /// - Throws: ``ImportError`` `noProgram`, `damaged`.
    func tags(_ path: String) async throws -> [String: String]
    /// Returns a JPEG of one of a video's first pictures, not turned.
    /// - Throws: ``ImportError`` `noProgram`, `damaged`.
    func poster(_ path: String) async throws -> [UInt8]
    /// Returns the main picture of a HEIF or AVIF file as an upright JPEG with its EXIF.
    /// - Throws: ``ImportError`` `noProgram`, `damaged`, `tooLarge`.
    func picture(_ path: String) async throws -> [UInt8]
}
