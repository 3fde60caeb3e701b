// SPDX-License-Identifier: GPL-3.0-or-later

/// Filters of FFmpeg that more than one of its runs needs (ffmpeg-filters(1)).
package enum FFmpegFilter {
    /// Stretches a picture whose pixels are not square to the width that players show; others stay as they are.
    package static let squarePixels = "scale=iw*sar:ih,setsar=1"
}
