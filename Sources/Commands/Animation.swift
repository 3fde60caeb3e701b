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

    /// FFmpeg's arguments but for the file that it writes.
    func arguments(_ resource: AssetResource) -> [String] {
        let seconds = resource.asset.duration?.seconds ?? Self.longest
        // A loop is shown several times over in its video.
        let rounds = resource.asset.mediaSubtypes.contains(.loop) ? LoopRecorder.rounds : 1
        let length = min(seconds / Double(rounds), Self.longest)
        let scale =
            "fps=\(Self.rate),scale=w='min(\(fitting.width),iw)':h='min(\(fitting.height),ih)'"
            + ":force_original_aspect_ratio=decrease:flags=lanczos"
        let input = ["-nostdin", "-v", "error", "-t", "\(length)", "-i", "file:\(resource.path)"]
        switch format {
        case .gif:
            let palette = "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse"
            return input + ["-an", "-vf", "\(scale),\(palette)", "-loop", "0", "-f", "gif"]
        case .webp:
            return input + [
                "-an", "-vf", scale, "-c:v", "libwebp_anim", "-q:v", "70", "-loop", "0", "-f",
                "webp",
            ]
        }
    }
}
