// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Importing
internal import Library
internal import LibraryService
internal import LinuxIO
internal import Media
internal import Settings

struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library", abstract: "List, change, import and export photos and videos.",
        discussion: """
              vitrine library list --since 7d
              vitrine library show 12
              vitrine library export /media/usb

            A photo is named by its id, by the first four or more characters of the id, or by its \
            sequence number.
            """,
        subcommands: [
            LibraryList.self, Show.self, Picture.self, Movie.self, Filmstrip.self, Import.self,
            Export.self, Favorite.self, Hide.self, Represent.self, Caption.self, Adjust.self,
            Keyword.self, Delete.self,
            Restore.self, Purge.self, Changes.self, Verify.self, Repair.self, Snapshot.self,
            Stats.self, Access.self, Retention.self,
            Fetch.self,
        ])

    /// An asset's keys with `path` and `representations`, as JSON.
    private struct Shown: Encodable {
        let resource: AssetResource
        let screen: Dimensions

        private enum CodingKeys: CodingKey { case representations }

        func encode(to encoder: any Encoder) throws {
            try resource.encode(to: encoder)
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(resource.representations(screen: screen), forKey: .representations)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print everything that is known about a photo or video.",
            discussion: """
                  vitrine library show 12 --metadata
                """)

        @Argument(help: "Id, its first four or more characters, or the sequence number.")
        var id: String

        @Flag(
            help: """
                Print a photo's EXIF or the tags of a video's container instead: one JSON object \
                of directories and tags.
                """)
        var metadata = false

        @OptionGroup var access: LibraryAccess

        func run() async throws {
            let resource = try await access.use { try await $0.resource(id: id) }
            if metadata {
                do {
                    // Files of unknown origin must not be parsed as root.
                    let metadata = try await asOwner(
                        of: PathName(resource.path).parent
                    ) { _ in
                        try await resource.metadata(foreign: MediaInspector.withSystemPrograms())
                    }
                    return print(try jsonLine(metadata))
                } catch let error as LibraryError {
                    throw CommandError(error)
                }
            }
            if access.client.json {
                print(try jsonLine(Shown(resource: resource, screen: screen)))
            } else {
                try AssetTable().printDetails(try jsonLine(resource))
            }
        }

        /// The size of the screen as a person sees it, from the running appliance or the
        /// configuration; the usual size if neither tells.
        private var screen: Dimensions {
            let running = try? access.client.connect()
            let report = try? running?.request("status", as: StatusReport.self)
            let settings = try? access.configuration.load().display
            let modes = [report?.preview.mode, settings?.mode].compactMap(\.self)
            let sizes = modes.compactMap { Dimensions(String($0.prefix { $0 != "@" })) }
            guard let size = sizes.first else { return AssetRepresentation.usualScreen }
            return Rotation(rawValue: settings?.rotation.rawValue ?? 0)?.apply(to: size) ?? size
        }
    }
}
