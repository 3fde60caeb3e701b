// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
package import CommandProtocol
internal import Detection
internal import Media
package import Settings
internal import V4L2

extension Doctor {
    /// Who would compress clips, and whether they can be recorded, where a button is to do that.
    func recording() -> [Finding] {
        guard settings.recordsClips else {
            let way = (try? encoder()) ?? "nothing could compress"
            return [good("recording", "no button does; \(way)")]
        }
        if settings.recording.stabilization == .auto, settings.recording.encoder == .v4l2 {
            return [
                Finding(
                    check: "recording", state: .warning,
                    message: "encoder v4l2 takes pictures as they are: clips are not stabilized",
                    next: "Change [recording] stabilization or encoder.")
            ]
        }
        let way: String
        do {
            way = try encoder()
            if settings.recording.stabilization == .auto { try VideoEncoder.loadStabilizer() }
        } catch {
            return [
                Finding(
                    check: "recording", state: .warning, message: "\(error)",
                    next: "Install libavcodec with libx264, and libavfilter, or change [recording]."
                )
            ]
        }
        if let problem = Board.missingMicrophone(settings) {
            return [
                Finding(
                    check: "recording", state: .warning, message: problem,
                    next: "Plug it in, and compare [recording] microphone with: vitrine devices")
            ]
        }
        let hasSound = !settings.recording.microphone.isEmpty
        return [good("recording", "\(way), \(hasSound ? "with" : "without") sound")]
    }

    /// That the encoder of a running appliance has no time for all frames; `nil` where it has, as far as anybody knows.
    package static func encoder(of recording: StatusReport.Recording) -> Finding? {
        let missed = recording.framesDropped["encoder"] ?? 0
        let all = recording.framesEncoded + missed
        // One in ten a person sees. A camera that compresses by itself is waited for.
        guard all >= leastFrames, missed * 10 > all, recording.encoder != "camera" else {
            return nil
        }
        return Finding(
            check: "recording", state: .warning,
            message: "\(recording.encoder ?? "the encoder") had no time for \(missed) of "
                + "\(all) frames",
            next: "Choose a smaller preset of the [[camera]]; of libx264 [recording] preset "
                + "\"ultrafast\" takes less time, too.")
    }

    /// Fewer say nothing.
    private static let leastFrames = 100

    /// Whether codes can be read, where that is wanted.
    func detection() -> [Finding] {
        guard settings.detection.readsCodes else { return [] }
        do {
            _ = try CodeReader()
            return [good("detection", "codes by libzbar")]
        } catch {
            return [Finding(check: "detection", state: .warning, problem: "\(error)")]
        }
    }

    /// Who would compress.
    private func encoder() throws -> String {
        // Also for their sound, and for what a device does not take.
        if settings.recording.encoder != .v4l2 { try VideoEncoder.load() }
        return try Self.encoder(
            for: settings.recording, device: EncoderDescription.all(for: .h264).first?.name)
    }

    /// - Parameter name: of the first device that could; `nil` where none can.
    package static func encoder(
        for recording: RecordingSettings, device name: String?
    ) throws -> String {
        let wanted = recording.encoder
        // See EncodingPipeline: what is to be made of the pictures first only libavcodec has.
        let isSteadied = wanted == .auto && recording.stabilization == .auto
        if wanted != .x264, !isSteadied, let name { return "H.264 by \(name)" }
        if wanted == .v4l2 || wanted == .v4l2m2m {
            throw CodecError(
                .missing,
                "[recording] encoder is \(wanted.rawValue), and no V4L2 device makes H.264")
        }
        let reason =
            name == nil
            ? "this board has no encoder in hardware"
            : isSteadied ? "which alone steadies pictures" : "as configured"
        return "H.264 by libx264 on the processor (\(reason))"
    }
}
