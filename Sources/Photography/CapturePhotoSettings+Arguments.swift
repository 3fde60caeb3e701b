// SPDX-License-Identifier: GPL-3.0-or-later

package import Capture
internal import Codecs
package import CommandProtocol
package import Controls
package import Media
internal import Devices

extension CommandError {
    /// No camera is running: 75.
    package static var noCamera: CommandError {
        CommandError(
            "camera.disconnected", "no camera is running", next: "See: vitrine status",
            exit: .temporary)
    }
}

extension CapturePhotoSettings {
    /// Reads `format`, `quality` and `flash` of a verb's arguments, with the usual defaults; `nil`
    /// if it has none of them. Throws 64 for an invalid value.
    package init?(
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
            // A wanted quality excludes the camera's own JPEG.
            if format == .original { format = .jpeg }
        }
        if let word = arguments["format"] { format = try Self.choice("format", word) }
        if let word = arguments["flash"] { flashMode = try Self.choice("flash", word) }
    }

    /// Checks what the arguments ask of the camera and the flash; throws 69 if they cannot do it.
    package func requirePossible(
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
                next: "Set [[camera]] pixel_format to a Bayer format, if the camera has one: "
                    + "vitrine devices",
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
