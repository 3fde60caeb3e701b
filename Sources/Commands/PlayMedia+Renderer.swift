// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import FoundationEssentials
internal import Library
internal import LinuxIO
internal import Playback
internal import Renderers
internal import Verbs
internal import Viewing

extension PlayCommand.Media {
    /// Plays on a renderer of the network.
    func play(
        onRenderer name: String, _ line: ProgressLine
    ) async throws -> PlayAnswer {
        guard rate == 1, subtitle == nil else {
            throw CommandError(
                "play.unsupported", "a renderer takes neither --rate nor --subtitle",
                next: "Leave them out.", exit: .usage)
        }
        if loop, background {
            throw CommandError(
                "play.unsupported", "this command begins each round, so it cannot end before",
                next: "Leave --background or --loop out.", exit: .usage)
        }
        let media = try await rendered()
        if case .file = media.source, background {
            throw CommandError(
                "play.unsupported", "this command sends the file, so it cannot end before",
                next: "Leave --background out.", exit: .usage)
        }
        return try await Interruption.cancels {
            try await RendererPlayback.use(name) { playback, renderer in
                if background {
                    try await playback.begin(media, from: at, on: renderer)
                    return PlayAnswer(result: "playing")
                }
                return try await playback.play(media, from: at, loops: loop, on: renderer) {
                    line.show(
                        seconds: Int($0.seconds), of: $0.duration.map { Int($0.rounded()) })
                }
            }
        }
    }

    /// Returns the media for a renderer.
    private func rendered() async throws -> RendererPlayback.Media {
        if MediaAsset.isURL(media) {
            let name = String(media.prefix { $0 != "?" && $0 != "#" })
            return RendererPlayback.Media(
                source: .url(media), name: name, title: MediaAsset.title(ofURL: media))
        }
        if UUID(uuidString: media) != nil {
            let resource = try await access.use { try await $0.resource(id: media) }
            try check(resource.path)
            return RendererPlayback.Media(
                source: .file(resource.path), name: resource.asset.fileName,
                title: resource.asset.caption ?? resource.asset.fileName)
        }
        let url = URL(filePath: media).resolvingSymlinksInPath().absoluteURL
        try check(url.path)
        let name = URL(filePath: media).lastPathComponent
        return RendererPlayback.Media(source: .file(url.path), name: name, title: name)
    }

    /// Throws unless it is a regular file: everybody in the network could read the files of a
    /// folder.
    private func check(_ path: String) throws {
        do {
            _ = try opened(path).bytes()
        } catch let error as SystemCallError {
            throw CommandError(
                "file.unreadable", "\(path) is no regular file", next: "Name a file.",
                exit: error.isPermission ? .notPermitted : .noInput)
        }
    }
}
