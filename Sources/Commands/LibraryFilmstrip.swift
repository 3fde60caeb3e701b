// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Imaging
internal import Library
internal import LinuxIO
internal import Media
internal import Playback

extension LibraryCommand {
    /// The command that writes pictures of a video's course. It writes with the caller's
    /// permissions.
    struct Filmstrip: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write small pictures of a video, spread over its length.",
            discussion: """
                  vitrine library filmstrip 12 strip --count 8 --size 320x0

                The folder is created if it does not exist. Its files are named 01.jpg, 02.jpg and \
                so on; existing ones are replaced. With --json each is one line, with the time of \
                its picture. The exit status is 74 if a picture cannot be made.
                """)

        @Argument(help: "Id, its first four or more characters, or the sequence number.")
        var id: String

        @Argument(help: "Folder for the pictures.", completion: .directory)
        var folder: String

        @Option(help: "Number of pictures, 1 to 1000.")
        var count = 10

        @Option(
            help: ArgumentHelp(
                "Fit the pictures within WxH; 0 derives that side from the aspect ratio.",
                valueName: "WxH"),
            transform: Dimensions.fitting)
        var size = Dimensions(width: 320, height: 320)

        @OptionGroup var access: LibraryAccess

        private struct Line: Encodable {
            let file: String
            let seconds: Double
            let bytes: Int
        }

        private static let quality = 85

        func validate() throws {
            guard (1...1000).contains(count) else {
                throw ValidationError("--count is \(count), allowed: 1 to 1000")
            }
        }

        func run() async throws {
            let resource = try await access.video(id, next: "See: vitrine library picture --help")
            var failure: PlaybackError?
            for (number, result) in try await pictures(of: resource).enumerated() {
                switch result {
                case .failure(let error): failure = error
                case .success(let (time, jpeg)):
                    let name = number < 9 ? "0\(number + 1)" : "\(number + 1)"
                    try write(jpeg, to: "\(folder)/\(name).jpg", time)
                }
            }
            guard let failure else { return }
            let isElsewhere = failure.code == .notFound && resource.asset.isRemoteOnly
            throw CommandError(
                isElsewhere ? "library.remoteOnly" : "library.unsupported", failure.message,
                next: isElsewhere
                    ? "Bring it back: vitrine library fetch \(id)" : "See: vitrine doctor",
                exit: .io)
        }

        /// Makes the JPEGs in the order of time.
        private func pictures(
            of resource: AssetResource
        ) async throws -> [Result<(MediaTime, [UInt8]), PlaybackError>] {
            // Files of unknown origin must not be parsed as root.
            try await asOwner(of: PathName(resource.path).parent) { _ in
                var options = ImageGenerator.Options()
                options.maximumSize = size.bounded
                let generator = ImageGenerator(MediaAsset(path: resource.path), options)
                let bar = ProgressLine(isShown: access.client.showsProgress)
                defer { bar.end() }
                var made: [Result<(MediaTime, [UInt8]), PlaybackError>] = []
                for await (_, result) in await generator.filmstrip(count: count) {
                    switch result {
                    case .failure(let error): made.append(.failure(error))
                    case .success(let image):
                        let jpeg = try image.picture.jpeg(quality: Self.quality)
                        made.append(.success((image.actualTime, jpeg)))
                    }
                    bar.show(made.count, of: count)
                }
                return made
            }
        }

        private func write(_ jpeg: [UInt8], to file: String, _ time: MediaTime) throws {
            do {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true)
                try Data(jpeg).write(to: URL(filePath: file))
            } catch {
                throw CommandError(cannotWrite: file, error)
            }
            let line = Line(file: file, seconds: time.seconds, bytes: jpeg.count)
            print(access.client.json ? try jsonLine(line) : file)
        }
    }
}

extension Dimensions {
    /// The bounds of a picture; 0 is none.
    fileprivate var bounded: Dimensions {
        Dimensions(width: width == 0 ? .max : width, height: height == 0 ? .max : height)
    }
}
