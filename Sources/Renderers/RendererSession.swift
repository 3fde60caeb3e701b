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
    /// - Parameter isEnough: Ends the search early, given those that were found and the time that
    ///   has passed.
    /// - Throws: `missing`; `CancellationError`.
    package func renderers(
        within time: Duration = patience,
        isEnough: ([MediaRenderer], Duration) -> Bool = { _, _ in false }
    ) throws -> [MediaRenderer] {
        let start = ContinuousClock.now
        while true {
            let found = try opened().found
            let passed = ContinuousClock.now - start
            if passed >= time || isEnough(found, passed) {
                return found.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
            }
            try wait()
        }
    }

    /// After this time, one renderer with the name is enough.
    private static let usualPatience = Duration.seconds(1)

    /// Returns the renderer with a name or id.
    /// - Throws: `missing`; `notFound`; `CancellationError`.
    package func renderer(named name: String) throws -> MediaRenderer {
        let isMeant: (MediaRenderer) -> Bool = { $0.name == name || $0.id == name }
        let found = try renderers { found, passed in
            found.contains { $0.id == name }
                || passed >= Self.usualPatience && found.contains(where: isMeant)
        }
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
    /// - Parameter name: The file's name, whose ending tells the media type.
    package func serve(
        _ path: String, name: String, to renderer: MediaRenderer
    ) throws(RendererError) -> String {
        let ending = name.split(separator: ".").dropFirst().last.map { ".\($0)" } ?? ""
        return try opened().serve(path, ending: ending, to: renderer)
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
