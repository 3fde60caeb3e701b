// SPDX-License-Identifier: GPL-3.0-or-later

/// FFmpeg filters that several of our FFmpeg runs share (ffmpeg-filters(1)).
package enum FFmpegFilter {
    /// Stretches pictures with non-square pixels as players do; leaves others alone.
    package static let squarePixels = "scale=iw*sar:ih,setsar=1"
}
