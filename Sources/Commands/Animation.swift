// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Importing
internal import Library
internal import Media
internal import Photography

/// Converts a video to a moving picture that repeats, for places that cannot show a video.
struct Animation {
    /// The formats that browsers and messengers show.
    enum Format: String, CaseIterable, FileEnding {
        case gif, webp
    }

    /// The default size; larger pictures are too big to send.
    static let usualSize = Dimensions(width: 640, height: 640)
    /// Pictures per second. A GIF shows each picture for whole hundredths of a second.
    private static let rate = 25
    /// The maximum length in seconds; a longer moving picture would be larger than the video.
    private static let longest = 15.0

    let format: Format
    let fitting: Dimensions

    /// Returns FFmpeg's arguments for each run; the last writes the picture to `file`, and all may
    /// use `folder` for intermediate files.
    func runs(_ resource: AssetResource, in folder: String, to file: String) -> [[String]] {
        let seconds = resource.asset.duration?.seconds ?? Self.longest
        // The video of a loop repeats it several times; one round is enough here.
        let rounds = resource.asset.mediaSubtypes.contains(.loop) ? LoopRecorder.rounds : 1
        let length = min(seconds / Double(rounds), Self.longest)
        let scale =
            "fps=\(Self.rate),\(FFmpegFilter.squarePixels)"
            + ",scale=w='min(\(fitting.width),iw)':h='min(\(fitting.height),ih)'"
            + ":force_original_aspect_ratio=decrease:flags=lanczos"
        let input = ["-nostdin", "-v", "error", "-t", "\(length)", "-i", "file:\(resource.path)"]
        switch format {
        case .gif:
            // A single run would hold all pictures in memory until the palette is complete.
            let palette = "\(folder)/palette.png"
            return [
                input + ["-an", "-vf", "\(scale),palettegen=stats_mode=diff", "file:\(palette)"],
                input + ["-i", "file:\(palette)", "-an"]
                    + ["-lavfi", "[0:v]\(scale)[scaled];[scaled][1:v]paletteuse"]
                    + ["-loop", "0", "-f", "gif", file],
            ]
        case .webp:
            return [
                input + [
                    "-an", "-vf", scale, "-c:v", "libwebp_anim", "-q:v", "70", "-loop", "0", "-f",
                    "webp", file,
                ]
            ]
        }
    }
}
