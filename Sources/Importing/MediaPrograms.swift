// SPDX-License-Identifier: GPL-3.0-or-later

/// Programs of the system that read what Vitrine does not read itself.
public protocol MediaPrograms: Sendable {
    /// Reads a whole video, packet by packet.
    ///
    /// - Throws: ``ImportError`` `noProgram`, `truncated`, `damaged`.
    func video(_ path: String) async throws -> VideoDescription
    /// A JPEG of one of a video's first pictures, not turned.
    ///
    /// - Throws: ``ImportError`` `noProgram`, `damaged`.
    func poster(_ path: String) async throws -> [UInt8]
    /// The JPEG of a HEIF or AVIF file's main picture, upright, with its EXIF.
    ///
    /// - Throws: ``ImportError`` `noProgram`, `damaged`, `tooLarge`.
    func picture(_ path: String) async throws -> [UInt8]
}
