// SPDX-License-Identifier: GPL-3.0-or-later

/// Programs of the system that read what Vitrine does not read itself.
public protocol MediaPrograms: Sendable {
    /// Reads a whole video, packet by packet.
    ///
    /// - Throws: ``ImportError`` `noProgram`, `truncated`, `damaged`.
    func video(_ path: String) async throws -> VideoDescription
    /// What a video's container says of it, by the names that FFmpeg gives the tags; no packet is read.
    ///
    /// - Throws: ``ImportError`` `noProgram`, `damaged`.
    func tags(_ path: String) async throws -> [String: String]
    /// A JPEG of one of a video's first pictures, not turned.
    ///
    /// - Throws: ``ImportError`` `noProgram`, `damaged`.
    func poster(_ path: String) async throws -> [UInt8]
    /// The JPEG of a HEIF or AVIF file's main picture, upright, with its EXIF.
    ///
    /// - Throws: ``ImportError`` `noProgram`, `damaged`, `tooLarge`.
    func picture(_ path: String) async throws -> [UInt8]
}
