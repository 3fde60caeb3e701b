// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import CommandProtocol
internal import Controls
internal import Media
internal import Settings

extension Appliance {
    /// What somebody wants of photos, where camera and flash can do it; `nil` for what is configured.
    ///
    /// - Parameter arguments: of a verb: `format`, `quality` and `flash`, as far as they are wanted.
    /// - Throws: 64 for what is no such value, 69 for what this camera or flash cannot do, 75 without a camera.
    func photoSettings(
        _ arguments: [String: JSONValue]
    ) async throws(CommandError) -> CapturePhotoSettings? {
        let usual = board.settings.photo.usual
        guard let photo = try CapturePhotoSettings(arguments, default: usual) else { return nil }
        guard let running = await session.running else { throw .noCamera }
        try photo.requirePossible(arguments, by: running, flash)
        return photo
    }
}

extension CommandError {
    /// Nothing can be taken now: 75.
    static var noCamera: CommandError {
        CommandError(
            "camera.disconnected", "no camera is running", next: "See: vitrine status",
            exit: .temporary)
    }
}

extension CapturePhotoSettings {
    /// - Parameter usual: what counts as far as the arguments say nothing.
    /// - Returns: `nil` where they say nothing.
    /// - Throws: 64 for what is no such value.
    init?(
        _ arguments: [String: JSONValue], default usual: CapturePhotoSettings
    ) throws(CommandError) {
        let names = ["format", "quality", "flash"]
        if names.allSatisfy({ arguments[$0] == nil }) { return nil }
        self = usual
        if let quality = arguments["quality"] {
            guard let number = quality.integerValue, (1...100).contains(number) else {
                throw .invalid("quality", quality, "Give 1 to 100.")
            }
            self.quality = Int(number)
            // Who asks for a quality does not mean the camera's own.
            if format == .original { format = .jpeg }
        }
        if let word = arguments["format"] { format = try Self.choice("format", word) }
        if let word = arguments["flash"] { flashMode = try Self.choice("flash", word) }
    }

    /// - Throws: 69 for what the arguments ask of a camera or a flash that cannot do it.
    func requirePossible(
        _ arguments: [String: JSONValue], by camera: RunningStream, _ flash: OutputLine?
    ) throws(CommandError) {
        if flashMode == .on, flash?.state != .ready {
            throw CommandError(
                "flash.missing", "no flash: \(flash?.problem ?? "none is configured")",
                next: "Set [flash] line, or take the photo with --flash off.", exit: .unavailable)
        }
        let format = camera.stream.cameraFormat
        if quality != nil, self.format != .jpeg, format.isCompressed {
            throw CommandError(
                "camera.unsupported",
                "the camera \"\(camera.identity.name)\" delivers JPEG of its own quality",
                next: "Give --format jpeg.", exit: .unavailable)
        }
        guard arguments["format"] != nil, self.format == .raw else { return }
        do {
            try DNGFile.load()
        } catch {
            throw CommandError("photo.unsupported", "\(error)", exit: .unavailable)
        }
        if RawPixelFormat(format) == nil {
            throw CommandError(
                "camera.unsupported",
                "no RAW: the camera \"\(camera.identity.name)\" delivers \(format)",
                next:
                    "Set [[camera]] pixel_format to a Bayer format, where it has one: vitrine devices",
                exit: .unavailable)
        }
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ word: JSONValue
    ) throws(CommandError) -> Choice {
        if let choice = word.stringValue.flatMap(Choice.init(rawValue:)) { return choice }
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw .invalid(name, word, "Give one of: \(words)")
    }
}

extension CommandError {
    fileprivate static func invalid(
        _ name: String, _ value: JSONValue, _ next: String
    ) -> CommandError {
        CommandError("request.invalid", "\(name): \(value)", next: next, exit: .usage)
    }
}
