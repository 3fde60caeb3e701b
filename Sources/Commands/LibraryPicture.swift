// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Importing
internal import Library
internal import LinuxIO
internal import Media
internal import Settings

extension LibraryCommand {
    /// The picture comes from the appliance; the file is written in this process, with the caller's rights.
    struct Picture: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Write a picture of a photo or video to a JPEG file, upright and as it is to be seen.",
            discussion: """
                Without options it is as large as it is; pictures are never enlarged. Of videos it is one of the \
                first pictures; as FILE.gif or FILE.webp they move: fifteen seconds at the most, within 640x640 or \
                --size.
                """)

        @Argument(help: "The id, its first four or more characters, or the sequence number.")
        var id: String

        @Argument(
            help: "The file to write.", completion: .file(extensions: ["jpg", "gif", "webp"]))
        var file: String

        @Option(
            help: ArgumentHelp(
                "All of the picture within so many pixels; 0 is as many as its shape makes of the other.",
                valueName: "WxH"),
            transform: Dimensions.fitting)
        var size: Dimensions?

        @Flag(
            help:
                "So many pixels filled: the picture is larger in one direction where it has another shape."
        )
        var fill = false

        @Option(
            help: ArgumentHelp(
                """
                fullResolution (as it was taken, neither turned nor cut by a person), edited, fullScreen (fits the board's screen, or --size), or \
                thumbnail.
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
                throw ValidationError("--fill needs two numbers of pixels")
            }
            if fill && (size == nil || representation != nil) {
                throw ValidationError("--fill goes with --size alone")
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

        /// `nil` where the file is to be no moving picture.
        private func animation() async throws -> [UInt8]? {
            guard let format = Animation.Format(file: file) else { return nil }
            if fill || representation != nil {
                throw ValidationError("a .\(format.rawValue) goes with --size alone")
            }
            let resource = try await access.use { try await $0.resource(id: id) }
            guard resource.asset.mediaType == .video else {
                throw CommandError(
                    "library.unsupported",
                    "asset \(resource.asset.id.uuidString.lowercased()) is no video: it does not move",
                    next: "Write a .jpg.", exit: .usage)
            }
            let animation = Animation(format: format, fitting: size ?? Animation.usualSize)
            do {
                // What reads a stranger's file is not root.
                return try await access.asOwner(of: PathName(resource.path).parent) { _ in
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
    /// For an option of a command: 0 is no bound.
    fileprivate static func fitting(_ text: String) throws -> Dimensions {
        try required(Dimensions(bounds: text), text)
    }

    /// For an option of a command.
    static func parsed(_ text: String) throws -> Dimensions { try required(Dimensions(text), text) }

    private static func required(_ size: Dimensions?, _ text: String) throws -> Dimensions {
        guard let size else {
            throw ValidationError("\"\(text)\" is no size; for example 1920x1080")
        }
        return size
    }
}
