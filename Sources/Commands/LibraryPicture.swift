// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Importing
internal import Library
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
                first pictures.
                """)

        @Argument(help: "The id, its first four or more characters, or the sequence number.")
        var id: String

        @Argument(help: "The file to write.", completion: .file(extensions: ["jpg"]))
        var file: String

        @Option(
            help: ArgumentHelp("All of the picture within so many pixels.", valueName: "WxH"),
            transform: Dimensions.parsed)
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
            if fill && (size == nil || representation != nil) {
                throw ValidationError("--fill goes with --size alone")
            }
            if let representation, size != nil, representation != .fullScreen {
                throw ValidationError("--size does not go with \(representation.rawValue)")
            }
        }

        func run() async throws {
            let jpeg = try await picture()
            do {
                try Data(jpeg).write(to: URL(filePath: file))
            } catch {
                throw CommandError(cannotWrite: file, error)
            }
            if access.client.json {
                print(
                    try jsonLine([
                        "file": JSONValue.string(file), "bytes": .integer(Int64(jpeg.count)),
                    ]))
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
    /// For an option of a command.
    static func parsed(_ text: String) throws -> Dimensions {
        guard let size = Dimensions(text) else {
            throw ValidationError("\"\(text)\" is no size; for example 1920x1080")
        }
        return size
    }
}
