// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// Finds the renderers of the network and controls them with GUPnP, on a thread of its own.
package actor RendererSession {
    private let executor = ThreadExecutor("renderers")
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    private var search: DeviceSearch?

    /// Opens nothing yet.
    package init() {}

    /// Ends the search. Files are no longer served.
    package func close() { search = nil }

    // MARK: finding

    /// How long renderers may take to answer (UPnP Device Architecture, section 1.3).
    package static let patience = Duration.seconds(3)
    /// Milliseconds.
    private static let step: UInt32 = 500

    /// Returns the renderers that answer in time, in the order of their names.
    /// - Parameter isEnough: Ends the search early.
    /// - Throws: `missing`; `CancellationError`.
    package func renderers(
        within time: Duration = patience,
        isEnough: ([MediaRenderer]) -> Bool = { _ in false }
    ) throws -> [MediaRenderer] {
        let start = ContinuousClock.now
        while true {
            let found = try opened().found
            if ContinuousClock.now - start >= time || isEnough(found) {
                return found.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
            }
            try wait()
        }
    }

    /// Returns the renderer with a name or id.
    /// - Throws: `missing`; `notFound`; `CancellationError`.
    package func renderer(named name: String) throws -> MediaRenderer {
        let isMeant: (MediaRenderer) -> Bool = { $0.name == name || $0.id == name }
        // Another one of this name may answer last.
        let found = try renderers { $0.contains { $0.id == name } }
        let meant = found.filter(isMeant)
        guard let renderer = meant.first, meant.count == 1 else {
            let names = found.map { meant.isEmpty ? $0.name : $0.id }.joined(separator: ", ")
            throw RendererError(
                .notFound,
                meant.isEmpty
                    ? "no display or renderer is called \(name)"
                    : "\(meant.count) renderers are called \(name)",
                next: names.isEmpty
                    ? "Use first or second, or switch the renderer on; see: vitrine play displays"
                    : "Use one of these: \(names)")
        }
        return renderer
    }

    /// Serves files and receives what renderers tell, for a moment.
    /// - Throws: `CancellationError`.
    package func wait() throws {
        try Task.checkCancellation()
        search?.wait(milliseconds: Self.step)
    }

    private func opened() throws(RendererError) -> DeviceSearch {
        if let search { return search }
        let new = try DeviceSearch()
        search = new
        return new
    }

    // MARK: media

    /// Lets a renderer read a file until ``close()``; returns its URL.
    /// - Parameters:
    ///   - path: The absolute path of a regular file.
    ///   - name: The file's name, whose ending tells the media type.
    /// - Throws: `refused` if the name tells that the file is no media; errors of the temporary
    ///   folder.
    package func serve(
        _ path: String, name: String, to renderer: MediaRenderer
    ) throws -> String {
        let search = try opened()
        let type = DeviceSearch.mediaType(name)
        let kinds = ["audio/", "video/", "image/", "application/octet-stream", "application/ogg"]
        guard kinds.contains(where: { type.hasPrefix($0) }) else {
            throw RendererError(
                .refused, "\(name) is no media file: \(type)",
                next: "Name a file with pictures or sound.")
        }
        let ending = name.split(separator: ".").dropFirst().last ?? ""
        let isPlain = ending.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & ~0x20)
        }
        return try search.serve(
            path, ending: ending.isEmpty || !isPlain ? "" : ".\(ending)", to: renderer)
    }

    /// Begins to play a URL.
    /// - Parameters:
    ///   - name: The file's name, whose ending tells the media type.
    ///   - start: The time to begin at, in seconds.
    /// - Throws: `refused`; `CancellationError`.
    package func play(
        _ url: String, name: String, title: String, from start: Double, on renderer: MediaRenderer
    ) throws {
        let type = DeviceSearch.mediaType(name)
        let description = MediaDescription.text(url, title: title, type: type)
        try call(
            "SetAVTransportURI", ("CurrentURI", url), ("CurrentURIMetaData", description),
            on: renderer)
        try resume(renderer)
        guard start > 0 else { return }
        // A renderer that has not begun refuses, or stays where it is without a word.
        let deadline = ContinuousClock.now + Self.beginning
        while true {
            let isLast = ContinuousClock.now >= deadline
            do {
                try seek(renderer, to: start)
            } catch {
                if isLast { throw error }
            }
            try wait()
            let time = try status(of: renderer).seconds
            if isLast || (time ?? start) >= start - Self.tolerance { return }
        }
    }

    /// The time between the place that was asked for and the one that a renderer goes to, in
    /// seconds.
    private static let tolerance = 2.0

    /// The time that a renderer may need to begin.
    private static let beginning = Duration.seconds(10)

    /// Goes on after a pause.
    package func resume(_ renderer: MediaRenderer) throws(RendererError) {
        try call("Play", ("Speed", "1"), on: renderer)
    }

    /// Pauses.
    package func pause(_ renderer: MediaRenderer) throws(RendererError) {
        try call("Pause", on: renderer)
    }

    /// Ends the playing.
    package func stop(_ renderer: MediaRenderer) throws(RendererError) {
        try call("Stop", on: renderer)
    }

    /// Goes to a time in seconds.
    package func seek(
        _ renderer: MediaRenderer, to seconds: Double
    ) throws(RendererError) {
        try call(
            "Seek", ("Unit", "REL_TIME"), ("Target", TransportTime.text(seconds)), on: renderer)
    }

    /// Asks a renderer what it does.
    package func status(of renderer: MediaRenderer) throws(RendererError) -> RendererStatus {
        let search = try opened()
        let words = try search.call(
            "GetTransportInfo", returning: ["CurrentTransportState"], of: renderer)
        let times = try search.call(
            "GetPositionInfo", returning: ["RelTime", "TrackDuration"], of: renderer)
        let duration = TransportTime.seconds(times[1]) ?? 0
        return RendererStatus(
            state: RendererStatus.State(transport: words[0]),
            seconds: TransportTime.seconds(times[0]), duration: duration > 0 ? duration : nil)
    }

    private func call(
        _ name: String, _ arguments: (name: String, value: String)..., on renderer: MediaRenderer
    ) throws(RendererError) {
        _ = try opened().call(name, arguments, of: renderer)
    }
}
