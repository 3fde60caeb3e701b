// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
package import CommandProtocol
internal import Detection
internal import Devices
internal import Media
package import Settings
internal import V4L2

extension Doctor {
    /// Checks which encoder would compress clips, and whether they can be recorded if a button
    /// does.
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

    /// Says that the encoder of a running appliance drops frames; `nil` if it does not, or if too
    /// few frames are known.
    package static func encoder(of recording: StatusReport.Recording) -> Finding? {
        let missed = recording.framesDropped["encoder"] ?? 0
        let all = recording.framesEncoded + missed
        // A person notices one dropped frame in ten. A camera that compresses by itself drops none.
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

    private static let leastFrames = 100

    /// Says what decodes films.
    func playback() -> Finding {
        let isSimulated = settings.board.kind == .simulated
        let device = isSimulated ? nil : CodecDescription.decoders(of: .h264).first?.name
        return good("playback", Self.decoder(for: settings.playback, device: device))
    }

    /// Returns which decoder the configuration chooses; `name` is the first device for H.264, if
    /// any.
    package static func decoder(for playback: PlaybackSettings, device name: String?) -> String {
        if playback.decoder == .software { return "films by the processor (as configured)" }
        return name.map { "H.264 by \($0), other films by the processor" }
            ?? "films by the processor (this board has no decoder in hardware)"
    }

    func detection() -> [Finding] {
        guard settings.detection.readsCodes else { return [] }
        do {
            _ = try CodeReader()
            return [good("detection", "codes by libzbar")]
        } catch {
            return [Finding(check: "detection", state: .warning, problem: "\(error)")]
        }
    }

    private func encoder() throws -> String {
        // libavcodec also compresses sound, and formats that a device does not accept.
        if settings.recording.encoder != .v4l2 { try VideoEncoder.load() }
        return try Self.encoder(
            for: settings.recording, device: CodecDescription.encoders(to: .h264).first?.name)
    }

    /// Returns which encoder the configuration chooses; `name` is the first device for H.264, if
    /// any.
    package static func encoder(
        for recording: RecordingSettings, device name: String?
    ) throws -> String {
        let wanted = recording.encoder
        // Only libavcodec can stabilise pictures first; see EncodingPipeline.
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
