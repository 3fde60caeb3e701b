// SPDX-License-Identifier: GPL-3.0-or-later

/// What a look at the ends of a camera's JPEG tells, without reading the picture (ITU-T T.81, annex B).
public enum JPEGEnds: Sendable {
    /// It begins with SOI, and EOI comes near the end.
    case whole
    /// It begins with SOI and has no EOI near the end: it was cut short.
    case open
    /// It is no JPEG.
    case foreign

    /// More padding of changing values than cameras put behind a picture.
    private static let mostPadding = 4096

    /// - Parameter bytes: a compressed frame's, valid for the call.
    @unsafe
    public init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 4, unsafe bytes[0] == 0xff, unsafe bytes[1] == 0xd8 else {
            self = .foreign
            return
        }
        // Padding of one value may be as long as it likes.
        var count = bytes.count
        while count > 4, unsafe bytes[count - 1] == bytes[count - 2] { count -= 1 }
        let first = max(2, count - Self.mostPadding)
        var at = count - 2
        while at >= first {
            if unsafe bytes[at] == 0xff, unsafe bytes[at + 1] == 0xd9 {
                self = .whole
                return
            }
            at -= 1
        }
        self = .open
    }
}
