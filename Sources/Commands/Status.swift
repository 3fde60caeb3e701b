// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import LinuxIO

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the state of the running appliance.",
        discussion: """
              vitrine status --watch
            """)

    @OptionGroup var client: ClientOptions

    @Flag(help: "Repeat once a second, until Ctrl-C.")
    var watch = false

    @Flag(help: "Print OpenMetrics text for a metrics collector.")
    var metrics = false

    func validate() throws {
        if metrics && (client.json || watch) {
            throw ValidationError("--metrics goes with neither --json nor --watch.")
        }
    }

    func run() throws {
        if watch { return try keepWatch() }
        if metrics {
            let report: StatusReport = try client.request("status")
            print(report.openMetrics, terminator: "")
        } else {
            try printOnce()
        }
    }

    private func printOnce() throws {
        if client.json {
            print(try jsonLine(try client.request("status", as: JSONValue.self)))
            return
        }
        let text = lines(try client.request("status"))
        for row in fitted(text, to: TerminalSize.ofStandardOutput) { print(row) }
    }

    /// Prints the status every second, also while no appliance is running. A terminal is redrawn in
    /// place and cut to its size.
    private func keepWatch() throws {
        while true {
            let terminal = TerminalSize.ofStandardOutput
            var text: [String]
            do {
                if client.json {
                    try printOnce()
                    text = []
                } else {
                    text = lines(try client.request("status"))
                }
            } catch let error as CommandError where error.isNobody {
                text = client.json ? [] : ["no appliance is running; waiting"]
            }
            if let terminal {
                let shown = fitted(text, to: terminal).prefix(terminal.rows - 1)
                // Moves the cursor home, clears the rest of each row, and clears everything below.
                let rows = shown.map { "\($0)\u{1b}[K\n" }.joined()
                print("\u{1b}[H\(rows)\u{1b}[J", terminator: "")
            } else {
                for line in text { print(line) }
                if !client.json { print("") }
            }
            try flushOutput()
            sleep(1)
        }
    }

    /// Wraps the lines for a terminal; other output gets them whole.
    private func fitted(_ lines: [String], to terminal: TerminalSize?) -> [String] {
        guard let terminal else { return lines }
        return lines.flatMap { Self.wrapped($0, to: terminal.columns - 1) }
    }

    /// Wraps a line at spaces; the later rows are indented to its text.
    private static func wrapped(_ line: String, to width: Int) -> [String] {
        guard line.count > width, width > indent.count else { return [String(line.prefix(width))] }
        let row = line.prefix(width + 1)
        let end = row.dropFirst(indent.count).lastIndex(of: " ") ?? row.index(before: row.endIndex)
        let rest = line[end...].drop { $0 == " " }
        return [String(line[..<end])] + wrapped("\(indent)\(rest)", to: width)
    }

    private static let indent = "         "

    private func text(_ preview: StatusReport.Preview) -> String {
        let latency = preview.latencyMilliseconds.map {
            ", latency \($0.p50) ms (p99 \($0.p99) ms)"
        }
        let parts = [preview.connector, preview.mode, preview.path].joined(separator: " ")
        return "\(parts), \(preview.framesShown) shown\(latency ?? "")"
    }

    private func text(_ recording: StatusReport.Recording) -> String {
        let size = "\(recording.bytes / 1000) kB"
        let ring = "\(recording.preRollSeconds.rounded()) s pre-roll"
        let left = recording.secondsLeft.map { ", \(Int($0)) s left" } ?? ""
        return recording.active ? "\(Int(recording.seconds)) s, \(size)\(left)" : "ready: \(ring)"
    }

    private func lines(_ status: StatusReport) -> [String] {
        let format = status.camera.format.map {
            "\($0.width)x\($0.height) \($0.pixelFormat) \($0.framesPerSecond)/s"
        }
        let drops = status.camera.framesDropped.filter { $0.value > 0 }
            .sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let library = status.library
        let megabytes = "\(library.bytes / 1_000_000) MB, \(library.freeBytes / 1_000_000) MB free"
        let camera = status.camera
        let dropped = drops.isEmpty ? "none" : drops.joined(separator: ", ")
        let version = "board \(status.board)  version \(status.version)"
        var lines: [String] = []
        let uptime = Int(status.uptimeSeconds)
        lines.append("\(status.health.uppercased())  \(status.state)  \(version)  up \(uptime) s")
        lines.append("camera   \(camera.state) \(camera.name) \(camera.path) \(format ?? "")")
        let restarts = camera.streamRestarts > 0 ? ", restarted \(camera.streamRestarts) times" : ""
        lines.append("         \(camera.framesCaptured) frames, dropped: \(dropped)\(restarts)")
        lines.append("preview  \(text(status.preview))")
        if let second = status.secondDisplay { lines.append("second   \(text(second))") }
        if let recording = status.recording, recording.active || recording.preRollSeconds > 0 {
            lines.append("recording \(text(recording))")
        }
        if let timelapse = status.timelapse, timelapse.active {
            let pause = timelapse.paused ? ", paused" : ""
            lines.append("timelapse \(timelapse.pictures) pictures\(pause)")
        }
        let degraded = library.degraded ? ", DEGRADED" : ""
        lines.append(
            "library  \(library.photos) photos, \(library.videos) clips, \(megabytes)\(degraded)")
        if let sync = status.sync, sync.state != "off" { lines.append("sync     \(sync.line)") }
        lines.append("clock    \(status.clock.synchronized ? "synchronized" : "not synchronized")")
        if let configuration = status.configuration {
            lines.append("config   \(text(configuration))")
        }
        for problem in status.problems {
            lines.append("problem  \(problem.code): \(problem.message)")
        }
        // Buttons and lamps come last, because they can be cut where there are few rows.
        for button in status.buttons {
            lines.append("button   \(button.name) \(button.state), \(button.presses) presses")
        }
        let lamps = (status.lamps ?? []).map { "\($0.name) \($0.on ? "on" : "off")" }
        if !lamps.isEmpty { lines.append("lamps    \(lamps.joined(separator: ", "))") }
        return lines
    }

    private func text(_ configuration: StatusReport.ConfigurationState) -> String {
        let file = configuration.file.isEmpty ? "the defaults" : configuration.file
        return switch configuration.state {
        case "good": file
        case "trial": "\(file), on trial"
        default: "\(file) is \(configuration.state): the last good one is in use"
        }
    }
}

extension StatusReport.Sync {
    /// The state on one line.
    var line: String {
        waiting.map { "\(state), \($0), \(bytesPending / 1_000_000) MB" } ?? state
    }
}
