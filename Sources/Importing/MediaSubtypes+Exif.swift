// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library

extension MediaSubtypes {
    /// Interprets phones' CustomRendered, which exceeds the standard (see ExifTool), and a comment.
    init(customRendered: Int?, comment: String?) {
        self =
            switch customRendered {
            // 4 is the plain exposure beside an HDR picture.
            case 2, 3, 7: .hdr
            case 6: .panorama
            default: []
            }
        if comment == "Screenshot" { insert(.screenshot) }
    }
}
