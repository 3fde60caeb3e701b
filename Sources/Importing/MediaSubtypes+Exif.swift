// SPDX-License-Identifier: GPL-3.0-or-later

internal import Library

extension MediaSubtypes {
    /// By what phones write: values of CustomRendered beyond the standard's (ExifTool lists them), and a comment.
    init(customRendered: Int?, comment: String?) {
        self =
            switch customRendered {
            // 4 is the plain exposure beside one.
            case 2, 3, 7: .hdr
            case 6: .panorama
            default: []
            }
        if comment == "Screenshot" { insert(.screenshot) }
    }
}
