// SPDX-License-Identifier: GPL-3.0-or-later

/// The completeness of a camera's JPEG, judged by its ends alone (ITU-T T.81, annex B).
public enum JPEGEnds: Sendable {
    /// The data begins with SOI and has EOI near the end.
    case whole
    /// The data begins with SOI but has no EOI near the end: it was cut short.
    case open
    /// The data is not JPEG.
    case foreign

    /// The last bytes that are searched for EOI. Cameras append less padding of changing values.
    private static let mostPadding = 4096

    /// Examines a compressed frame, whose `bytes` must be valid for the call.
    @unsafe
    public init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 4, unsafe bytes[0] == 0xff, unsafe bytes[1] == 0xd8 else {
            self = .foreign
            return
        }
        // Padding that repeats one byte may have any length.
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
