// SPDX-License-Identifier: GPL-3.0-or-later

import Importing
import Library
import Testing

@Suite("MediaKind")
struct MediaKindTests {
    @Test(
        "the first bytes determine the kind",
        arguments: [
            ([0xff, 0xd8, 0xff, 0xe1], MediaKind.jpeg),
            ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], .png),
            ([0x1a, 0x45, 0xdf, 0xa3], .matroska),
            ([0, 0, 0, 24] + Array("ftypheic".utf8), .heif),
            ([0, 0, 0, 24] + Array("ftypmif1".utf8), .heif),
            ([0, 0, 0, 24] + Array("ftypavif".utf8), .avif),
            ([0, 0, 0, 20] + Array("ftypqt  ".utf8), .quickTime),
            ([0, 0, 0, 8] + Array("wide\0\0\0\0".utf8), .quickTime),
            ([0, 0, 0, 32] + Array("ftypisom".utf8), .mp4),
        ] as [([UInt8], MediaKind)])
    func known(bytes: [UInt8], kind: MediaKind) {
        #expect(MediaKind(bytes) == kind)
        #expect(MediaKind(bytes)?.mediaType == kind.mediaType)
    }

    @Test(
        "other files have no kind",
        arguments: ["", "GIF89a......", "%PDF-1.7....", "\u{7f}ELF........", "ftypisom"])
    func unknown(text: String) {
        #expect(MediaKind(Array(text.utf8)) == nil)
    }

    @Test("a file extension announces a photo or video, in upper or lower case")
    func names() {
        #expect(MediaKind.isMeant(byName: "/a.b/IMG_1.JPG"))
        #expect(MediaKind.isMeant(byName: "clip.webm"))
        for name in ["Thumbs.db", "jpg", ".jpg", "a.jpg/notes", "a.jpg.txt", ""] {
            #expect(!MediaKind.isMeant(byName: name), "\(name)")
        }
    }
}
