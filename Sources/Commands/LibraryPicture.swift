// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Importing
internal import Library
internal import LibraryService
internal import LinuxIO
internal import Media
internal import Settings

extension LibraryCommand {
    /// The command that writes a picture of an asset to a file. The appliance makes the picture;
    /// this process writes the file, with the caller's permissions.
    struct Picture: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a JPEG of a photo or video, upright and as adjusted.",
            discussion: """
                  vitrine library picture 12 small.jpg --size 320x240
                  vitrine library picture 13 clip.gif

                The picture has its full size by default, and is never enlarged. The picture of a \
                video is one of its first frames. FILE.gif and FILE.webp are animated pictures of \
                a video: at most fifteen seconds, within 640x640 or --size.
                """)

        @Argument(help: "Id, its first four or more characters, or the sequence number.")
        var id: String

        @Argument(
            help: "File to write: FILE.jpg, FILE.gif or FILE.webp.",
            completion: .file(extensions: ["jpg", "gif", "webp"]))
        var file: String

        @Option(
            help: ArgumentHelp(
                "Fit the whole picture within WxH; 0 derives that side from the aspect ratio.",
                valueName: "WxH"),
            transform: Dimensions.fitting)
        var size: Dimensions?

        @Flag(help: "Fill --size: a picture of another shape is larger in one direction.")
        var fill = false

        @Option(
            help: ArgumentHelp(
                """
                fullResolution (as taken, without a person's rotation and crop), edited, \
                fullScreen (fits the board's screen, or --size) or thumbnail.
                """, valueName: "kind"), transform: kind)
        var representation: AssetRepresentation.Kind?

        @OptionGroup var access: LibraryAccess

        private static func kind(_ text: String) throws -> AssetRepresentation.Kind {
            guard let kind = AssetRepresentation.Kind(rawValue: text) else {
                let kinds = AssetRepresentation.Kind.allCases.map(\.rawValue)
                throw ValidationError("\"\(text)\" is none of \(kinds.joined(separator: ", "))")
            }
            return kind
        }

        func validate() throws {
            if fill, let size, min(size.width, size.height) == 0 {
                throw ValidationError("--fill needs a --size with both numbers above 0")
            }
            if fill && (size == nil || representation != nil) {
                throw ValidationError("--fill needs --size, and excludes --representation")
            }
            if let representation, size != nil, representation != .fullScreen {
                throw ValidationError("--size does not go with \(representation.rawValue)")
            }
        }

        func run() async throws {
            let moving = try await animation()
            let picture = if let moving { moving } else { try await picture() }
            try access.deliver(Data(picture), to: file)
        }

        /// Returns the moving picture; `nil` if the file's extension names none.
        private func animation() async throws -> [UInt8]? {
            guard let format = Animation.Format(file: file) else { return nil }
            if fill || representation != nil {
                throw ValidationError("a .\(format.rawValue) takes no option but --size")
            }
            let resource = try await access.video(id, next: "Write a .jpg.")
            let animation = Animation(format: format, fitting: size ?? Animation.usualSize)
            do {
                // Files of unknown origin must not be parsed as root.
                return try await asOwner(of: PathName(resource.path).parent) { _ in
                    try await SystemMediaPrograms(memoryLimit: MediaInspector.usualMegabytes << 20)
                        .animation(animation, of: resource)
                }
            } catch let error as ImportError {
                throw CommandError(
                    "library.unsupported", error.message, next: "See: vitrine doctor", exit: .io)
            }
        }

        private func picture() async throws -> [UInt8] {
            do {
                if let running = try access.running() {
                    return try await running.picture(
                        id, as: representation, size: size, fills: fill)
                }
                let settings = try access.configuration.load()
                return try await access.opened { library in
                    let images = ImageManager(
                        library, settings.library,
                        foreign: MediaInspector.withSystemPrograms(
                            megabytes: settings.library.pictureMemoryMegabytes))
                    let screen =
                        representation == .fullScreen ? Dimensions(settings.display.mode) : nil
                    return try await images.jpeg(
                        of: try await library.resource(id: id), as: representation,
                        size: size ?? screen, contentMode: fill ? .aspectFill : .aspectFit)
                }
            } catch let error as LibraryError {
                throw CommandError(error)
            }
        }
    }
}

extension Dimensions {
    /// Parses the size of a command's option; 0 leaves a side unbounded.
    static func fitting(_ text: String) throws -> Dimensions {
        try required(Dimensions(bounds: text), text)
    }

    static func parsed(_ text: String) throws -> Dimensions { try required(Dimensions(text), text) }

    private static func required(_ size: Dimensions?, _ text: String) throws -> Dimensions {
        guard let size else {
            throw ValidationError("\"\(text)\" is not a size such as 1920x1080")
        }
        return size
    }
}
