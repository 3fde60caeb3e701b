// SPDX-License-Identifier: GPL-3.0-or-later

public import Codecs
public import Media

/// The facts in a PNG file (PNG, third edition). Parsing is safe on any input and decodes no pixel.
public struct PNGFile: Sendable {
    static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    /// The size in pixels.
    public let dimensions: Dimensions
    /// The EXIF of the chunk eXIf; `nil` if there is none.
    public let exif: EmbeddedExif?

    /// Reads the chunks from the first to the last.
    /// - Throws: `truncated` if the last chunk is missing; `damaged` if the file is not a PNG.
    public init(_ bytes: [UInt8]) throws(ImportError) {
        guard bytes.starts(with: Self.signature) else {
            throw ImportError(.damaged, "no PNG signature")
        }
        var at = Self.signature.count
        var dimensions: Dimensions?
        var exif: EmbeddedExif?
        while true {
            // A chunk has a length, a type, data and a checksum.
            guard at + 12 <= bytes.count else {
                throw ImportError(.truncated, "PNG without an end in \(bytes.count) bytes")
            }
            let length = Int(Self.number(bytes, at))
            let end = at + 12 + length
            guard length <= Int(Int32.max), end <= bytes.count else {
                throw ImportError(.truncated, "PNG without an end in \(bytes.count) bytes")
            }
            let data = at + 8..<end - 4
            switch String(decoding: bytes[at + 4..<at + 8], as: UTF8.self) {
            case "IHDR":
                guard data.count == 13, dimensions == nil else {
                    throw ImportError(.damaged, "PNG with a header of \(data.count) bytes")
                }
                let width = Int(Self.number(bytes, data.lowerBound))
                let height = Int(Self.number(bytes, data.lowerBound + 4))
                guard width > 0, height > 0 else {
                    throw ImportError(.damaged, "PNG of \(width)x\(height)")
                }
                dimensions = Dimensions(width: width, height: height)
            case "eXIf": exif = EmbeddedExif(Array(bytes[data]))
            case "IEND":
                guard let dimensions else { throw ImportError(.damaged, "PNG without a header") }
                self.dimensions = dimensions
                self.exif = exif
                return
            default: break
            }
            guard dimensions != nil else {
                throw ImportError(.damaged, "PNG that does not start with its header")
            }
            at = end
        }
    }

    private static func number(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
