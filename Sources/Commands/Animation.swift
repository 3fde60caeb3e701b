// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import FoundationEssentials
internal import Importing
internal import Library
internal import Media

/// A video as a picture that moves, again and again, for where no video can be shown.
struct Animation {
    /// What browsers and messengers show.
    enum Format: String, CaseIterable, FileEnding {
        case gif, webp
    }

    /// Larger ones nobody wants to send.
    static let usualSize = Dimensions(width: 640, height: 640)
    /// A GIF's pictures are shown for whole hundredths of a second.
    private static let rate = 25
    /// Longer ones would be larger than the video.
    private static let longest = 15.0

    let format: Format
    let fitting: Dimensions

    /// FFmpeg's arguments, run by run: the last one writes the picture.
    ///
    /// - Parameters:
    ///   - folder: where it may write what it needs in between.
    ///   - file: the picture.
    func runs(_ resource: AssetResource, in folder: String, to file: String) -> [[String]] {
        let seconds = resource.asset.duration?.seconds ?? Self.longest
        // A loop is shown several times over in its video.
        let rounds = resource.asset.mediaSubtypes.contains(.loop) ? LoopRecorder.rounds : 1
        let length = min(seconds / Double(rounds), Self.longest)
        let scale =
            "fps=\(Self.rate),\(FFmpegFilter.squarePixels),scale=w='min(\(fitting.width),iw)':h='min(\(fitting.height),ih)'"
            + ":force_original_aspect_ratio=decrease:flags=lanczos"
        let input = ["-nostdin", "-v", "error", "-t", "\(length)", "-i", "file:\(resource.path)"]
        switch format {
        case .gif:
            // In one run all pictures would wait in memory for the last one to have said its colors.
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
