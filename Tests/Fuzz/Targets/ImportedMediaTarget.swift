// SPDX-License-Identifier: GPL-3.0-or-later

internal import Foundation
internal import Importing
internal import Library
internal import Media

/// Checks files of a stranger's card: any bytes are refused or become a picture with a size and a
/// thumbnail. The fuzzer watches that the memory limit is kept.
func takeImportedMedia(_ bytes: [UInt8]) {
    _ = try? PNGFile(bytes)
    if let place = HEIFFile(bytes).exif { precondition(place.lowerBound >= 0 && place.count > 4) }
    _ = HEIFFile.tiff(bytes)
    for format in RawFormat.allCases { _ = format.isBeginning(bytes) }
    guard let kind = MediaKind(bytes), kind == .jpeg || kind == .png else { return }
    guard (try? Data(bytes).write(to: file)) != nil else {
        preconditionFailure("\(file.path) cannot be written")
    }
    guard let media = try? inspector.picture(file.path, kind) else { return }
    precondition(media.dimensions.width > 0 && media.dimensions.height > 0)
    precondition((1...8).contains(media.orientation))
    precondition(media.thumbnail?.starts(with: [0xff, 0xd8]) == true)
}

private let file = URL(fileURLWithPath: "/dev/shm/vitrine-fuzz-\(getpid())")
private let inspector = MediaInspector(memoryLimit: 16 << 20, programs: NoPrograms())

private struct NoPrograms: MediaPrograms {
    func video(_ path: String) async throws -> VideoDescription {
        throw ImportError(.noProgram, "none")
    }
    func poster(_ path: String) async throws -> [UInt8] { throw ImportError(.noProgram, "none") }
    func tags(_ path: String) async throws -> [String: String] {
        throw ImportError(.noProgram, "none")
    }
    func picture(_ path: String) async throws -> [UInt8] { throw ImportError(.noProgram, "none") }
}
