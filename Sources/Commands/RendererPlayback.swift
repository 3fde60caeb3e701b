// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import Renderers
internal import Verbs
internal import Viewing

/// Plays media on a renderer of the network, from this process.
struct RendererPlayback {
    /// The media to play.
    struct Media {
        /// The file to serve, or the URL that the renderer opens by itself.
        enum Source {
            case file(String)
            case url(String)
        }

        let source: Source
        /// The file's name, whose ending tells the media type.
        let name: String
        let title: String
    }

    private let session = RendererSession()

    /// Calls `body` with a renderer.
    static func use<Value>(
        _ name: String, _ body: (RendererPlayback, MediaRenderer) async throws -> Value
    ) async throws -> Value {
        try await opened { playback in
            try await body(playback, try await playback.session.renderer(named: name))
        }
    }

    /// Calls `body`, and ends the search after it.
    private static func opened<Value>(
        _ body: (RendererPlayback) async throws -> Value
    ) async throws -> Value {
        let playback = RendererPlayback()
        do {
            let value = try await body(playback)
            await playback.session.close()
            return value
        } catch {
            await playback.session.close()
            throw (error as? RendererError).map { CommandError($0) } ?? error
        }
    }

    /// Carries out an action, and returns the state after it. An action that ends the playing
    /// returns the state before it.
    static func control(
        _ name: String, _ action: (RendererSession, MediaRenderer) async throws -> Void
    ) async throws -> PlayStatus {
        try await use(name) { playback, renderer in
            let before = try await playback.session.status(of: renderer)
            guard before.state != .stopped else {
                throw CommandError(
                    "play.nothing", "\(renderer.name) plays nothing",
                    next: "See: vitrine play --help", exit: .temporary)
            }
            try await action(playback.session, renderer)
            let after = try await playback.session.status(of: renderer)
            return PlayStatus(after.state == .stopped ? before : after, title: "")
        }
    }

    /// A renderer that has not begun after this time does not play the media.
    private static let patience = Duration.seconds(30)
    /// So many times in a row a renderer may not tell what it does.
    private static let mostFailures = 5
    /// The time that a renderer may need to tell that it has begun.
    private static let delay = Duration.seconds(3)
    /// A renderer that stops earlier than this before the end was stopped by somebody, in seconds.
    private static let tolerance = 2.0

    /// Plays to the end, or until the task is cancelled.
    /// - Parameters:
    ///   - start: The time to begin at, in seconds.
    ///   - progress: Told the state about twice a second.
    /// - Throws: ``RendererError``; `CancellationError`.
    func play(
        _ media: Media, from start: Double, loops: Bool, on renderer: MediaRenderer,
        progress: (PlayStatus) -> Void
    ) async throws -> PlayAnswer {
        do {
            let url = try await begin(media, from: start, on: renderer)
            while true {
                let answer = try await follow(renderer, media, progress)
                guard loops, answer.result == "finished" else { return answer }
                try await playAgain(url, media, on: renderer)
            }
        } catch {
            // The renderer may be off meanwhile.
            try? await session.stop(renderer)
            throw error
        }
    }

    /// How often a renderer is asked for another round: some refuse one right after an end.
    private static let attempts = 5

    private func playAgain(
        _ url: String, _ media: Media, on renderer: MediaRenderer
    ) async throws {
        for attempt in 1...Self.attempts {
            do {
                return try await session.play(
                    url, name: media.name, title: media.title, from: 0, on: renderer)
            } catch let error as RendererError {
                if attempt == Self.attempts { throw error }
                try await session.wait()
            }
        }
    }

    /// Begins to play; returns the URL that the renderer opens.
    @discardableResult
    func begin(
        _ media: Media, from start: Double, on renderer: MediaRenderer
    ) async throws -> String {
        let url: String =
            switch media.source {
            case .file(let path):
                try await session.serve(path, name: media.name, to: renderer)
            case .url(let url): url
            }
        try await session.play(
            url, name: media.name, title: media.title, from: start, on: renderer)
        return url
    }

    private func follow(
        _ renderer: MediaRenderer, _ media: Media, _ progress: (PlayStatus) -> Void
    ) async throws -> PlayAnswer {
        let start = ContinuousClock.now
        var last: PlayStatus?
        var failures = 0
        while true {
            try await session.wait()
            let status: RendererStatus
            do {
                status = try await session.status(of: renderer)
                failures = 0
            } catch {
                failures += 1
                if failures > Self.mostFailures { throw error }
                continue
            }
            let shown = PlayStatus(status, title: media.title)
            if [.playing, .paused].contains(status.state) { last = shown }
            let passed = ContinuousClock.now - start
            if status.state != .stopped {
                progress(shown)
            } else if let last {
                let isWhole = last.duration.map { last.seconds > $0 - Self.tolerance } ?? true
                return PlayAnswer(result: isWhole ? "finished" : "stopped", status: shown)
            } else if passed > Self.delay, shown.seconds > 0 {
                // Short media have begun and ended unseen.
                return PlayAnswer(result: "finished", status: shown)
            }
            guard last != nil || passed < Self.patience else {
                throw CommandError(
                    "play.unsupported", "\(renderer.name) does not play \(media.title)",
                    next: "Give it a format that it knows, such as MP4 with H.264.", exit: .io)
            }
        }
    }

    /// A renderer, as `play displays` lists it.
    struct Line: Encodable {
        /// `first`, `second`, or a renderer's name.
        let name: String
        /// `display` or `renderer`.
        let kind: String
        /// The properties of a renderer.
        var model, id, location: String?
    }

    /// Returns the renderers that answer.
    /// - Throws: A ``CommandError``; 69 if a library is not installed.
    static func list() async throws -> [Line] {
        try await opened { try await $0.session.renderers() }.map {
            Line(
                name: $0.name, kind: "renderer", model: $0.model, id: $0.id, location: $0.location)
        }
    }
}

extension PlayStatus {
    init(_ status: RendererStatus, title: String) {
        self.init(
            state: status.state.rawValue, title: title, seconds: status.seconds ?? 0,
            duration: status.duration, rate: status.state == .playing ? 1 : 0, shown: 0, late: 0)
    }
}

extension CommandError {
    init(_ error: RendererError) {
        let exit: ExitStatus =
            switch error.code {
            case .missing: .unavailable
            case .notFound: .noInput
            case .refused: .io
            }
        self.init(
            "renderer.\(error.code.rawValue)", error.message, next: error.next, exit: exit)
    }
}
