// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
internal import Kiosk
package import LinuxIO
internal import Media
internal import Photography
internal import Playback
package import Viewing

/// The verbs of `vitrine play`.
struct PlayVerbs: Sendable {
    let kiosk: KioskRunner
    let viewer: Viewer

    /// Returns the answer; `nil` for an unknown verb.
    func answer(
        _ verb: String, _ arguments: [String: JSONValue], _ files: [PassedFile],
        _ progress: @escaping ControlVerbs.Progress
    ) async throws(CommandError) -> (any Encodable & Sendable)? {
        switch verb {
        case "play":
            return try await play(try ViewOrder(files: files, arguments), arguments, progress)
        case "play.status": return try control().status
        case "play.pause":
            try control().pause()
            return try control().status
        case "play.resume":
            try control().resume()
            return try control().status
        case "play.seek":
            let seconds = try arguments.seconds("to", in: 0...31_536_000) ?? 0
            let time = MediaTime(nanoseconds: Int64(seconds * 1e9))
            guard try await control().seek(to: time) else {
                throw CommandError(
                    "play.interrupted",
                    "these media cannot go there, or another seek or the end came first",
                    exit: .temporary)
            }
            return try control().status
        case "play.stop":
            let status = try control().status
            await kiosk.handle(
                .press(KioskPress(.cancel, timestamp: Clock.monotonic, from: .command)))
            return status
        default: return nil
        }
    }

    private func control() throws(CommandError) -> any ViewControl {
        guard let control = viewer.control else {
            throw CommandError(
                "play.nothing", "nothing is played", next: "See: vitrine play --help",
                exit: .temporary)
        }
        return control
    }

    /// Plays until the end, or only begins to if `wait` is false.
    private func play(
        _ order: ViewOrder, _ arguments: [String: JSONValue],
        _ progress: @escaping ControlVerbs.Progress
    ) async throws(CommandError) -> PlayAnswer {
        let end = PendingAnswer<PlayResult>()
        var order = order
        order.ended = { end.give($0) }
        let number = viewer.keep(order)
        switch await kiosk.handle(.order(number)) {
        case .performed: break
        case .busy(let reason):
            viewer.forget(order: number)
            throw CommandError.busy(reason)
        case .impossible(let reason):
            viewer.forget(order: number)
            throw CommandError.impossible(reason)
        default:
            viewer.forget(order: number)
            throw CommandError(
                "appliance.stopping", "the appliance is stopping", exit: .unavailable)
        }
        if arguments["wait"]?.boolValue == false { return PlayAnswer(result: "playing") }
        let telling = Task { await tell(progress) }
        defer { telling.cancel() }
        switch await end.value(within: .seconds(31_536_000)) {
        case .finished: return PlayAnswer(result: "finished")
        case .failed(let error): throw error
        case .stopped: return PlayAnswer(result: "stopped")
        case nil:
            // The client is gone.
            await kiosk.handle(
                .press(KioskPress(.cancel, timestamp: Clock.monotonic, from: .command)))
            return PlayAnswer(result: "stopped")
        }
    }

    private func tell(_ progress: ControlVerbs.Progress) async {
        while !Task.isCancelled {
            if let status = viewer.control?.status {
                var line: [String: JSONValue] = ["done": .integer(Int64(status.seconds))]
                if let duration = status.duration {
                    line["total"] = .integer(Int64(duration.rounded()))
                }
                progress(.object(line))
            }
            try? await Task.sleep(for: .milliseconds(500))
        }
    }
}

/// The answer of `play`.
package struct PlayAnswer: Codable, Sendable {
    /// `playing`, `finished`, or `stopped` by somebody.
    package let result: String
    /// The state at the end; `nil` if the appliance has played.
    package let status: PlayStatus?

    package init(result: String, status: PlayStatus? = nil) {
        (self.result, self.status) = (result, status)
    }
}

extension ViewOrder {
    /// Reads the arguments of the verb `play`; throws 64 for invalid ones.
    /// - Parameter files: The files that came with them: the media with its `name`, unless an asset
    ///   or a URL is played, and its `subtitles`.
    package init(
        files: [PassedFile], _ arguments: [String: JSONValue]
    ) throws(CommandError) {
        var files = files[...]
        if let url = arguments["url"]?.stringValue {
            guard MediaAsset.isURL(url) else {
                throw CommandError(
                    "play.invalidURL", "\(url) is no URL of http or https", exit: .usage)
            }
            self.init(.url(url))
        } else if let asset = arguments["asset"]?.stringValue {
            self.init(.asset(asset))
        } else if let file = files.popFirst() {
            self.init(.file(file, name: arguments["name"]?.stringValue ?? "file"))
        } else {
            throw CommandError(
                "play.nothing", "nothing to play", next: "Give an asset, a file or a URL.",
                exit: .usage)
        }
        if let at = try arguments.seconds("at", in: 0...31_536_000) {
            start = MediaTime(nanoseconds: Int64(at * 1e9))
        }
        rate = try arguments.seconds("rate", in: 0.25...4) ?? 1
        loops = arguments["loop"]?.boolValue ?? false
        subtitle = arguments["subtitle"]?.stringValue
        let names = arguments["subtitles"]?.arrayValue?.compactMap(\.stringValue) ?? []
        subtitles = zip(files, names).map { SubtitleFile($0, name: $1) }
    }
}
