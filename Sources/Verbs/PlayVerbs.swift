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
        case "play.status": return try control(arguments).status
        case "play.pause":
            let control = try control(arguments)
            control.pause()
            return control.status
        case "play.resume":
            let control = try control(arguments)
            control.resume()
            return control.status
        case "play.seek":
            let seconds = try arguments.seconds("to", in: 0...31_536_000) ?? 0
            let time = MediaTime(nanoseconds: Int64(seconds * 1e9))
            let control = try control(arguments)
            guard await control.seek(to: time) else {
                throw CommandError(
                    "play.interrupted",
                    "these media cannot go there, or another seek or the end came first",
                    exit: .temporary)
            }
            return control.status
        case "play.subtitle":
            let control = try control(arguments)
            do throws(PlaybackError) {
                try await control.select(subtitle: arguments["which"]?.stringValue ?? "none")
            } catch {
                throw CommandError(viewing: error)
            }
            return control.status
        case "play.stop":
            let status = try control(arguments).status
            await stop(try ViewOrder.Display(arguments))
            return status
        default: return nil
        }
    }

    private func control(
        _ arguments: [String: JSONValue]
    ) throws(CommandError) -> any ViewControl {
        guard let control = control(of: try ViewOrder.Display(arguments)) else {
            throw CommandError(
                "play.nothing", "nothing is played", next: "See: vitrine play --help",
                exit: .temporary)
        }
        return control
    }

    private func control(of display: ViewOrder.Display) -> (any ViewControl)? {
        display == .first ? viewer.control : viewer.external?.control
    }

    private func stop(_ display: ViewOrder.Display) async {
        if display == .second { return viewer.external?.stop() ?? () }
        await kiosk.handle(
            .press(KioskPress(.cancel, timestamp: Clock.monotonic, from: .command)))
    }

    /// Plays until the end, or only begins to if `wait` is false.
    private func play(
        _ order: ViewOrder, _ arguments: [String: JSONValue],
        _ progress: @escaping ControlVerbs.Progress
    ) async throws(CommandError) -> PlayAnswer {
        let end = PendingAnswer<PlayResult>()
        var order = order
        order.ended = { end.give($0) }
        try await begin(order)
        if arguments["wait"]?.boolValue == false { return PlayAnswer(result: "playing") }
        let telling = Task { [display = order.display] in await tell(display, progress) }
        defer { telling.cancel() }
        switch await end.value(within: .seconds(31_536_000)) {
        case .finished: return PlayAnswer(result: "finished")
        case .failed(let error): throw error
        case .stopped: return PlayAnswer(result: "stopped")
        case nil:
            // The client is gone.
            await stop(order.display)
            return PlayAnswer(result: "stopped")
        }
    }

    private func begin(_ order: ViewOrder) async throws(CommandError) {
        if order.display == .second {
            guard let external = viewer.external else { throw CommandError.noSecondDisplay }
            do {
                return try await external.play(order)
            } catch {
                throw CommandError(viewing: error)
            }
        }
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
            throw CommandError.stopping
        }
    }

    private func tell(
        _ display: ViewOrder.Display, _ progress: ControlVerbs.Progress
    ) async {
        while !Task.isCancelled {
            if let status = control(of: display)?.status {
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
        display = try Display(arguments)
        subtitle = arguments["subtitle"]?.stringValue
        let names = arguments["subtitles"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let mediaName = arguments["name"]?.stringValue ?? ""
        subtitles = zip(files, names).map { SubtitleFile($0, name: $1, of: mediaName) }
    }
}

extension ViewOrder.Display {
    /// Reads the argument `display`; throws 64 for an unknown one.
    fileprivate init(_ arguments: [String: JSONValue]) throws(CommandError) {
        let word = arguments["display"]?.stringValue ?? Self.first.rawValue
        guard let display = Self(rawValue: word) else {
            throw CommandError(
                "request.invalid", "\(word) is no display: first or second", exit: .usage)
        }
        self = display
    }
}
