// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol

struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "How the running appliance is doing.")

    @OptionGroup var client: ClientOptions

    func run() throws {
        if client.json {
            print(try jsonLine(try client.request("status", as: JSONValue.self)))
            return
        }
        for line in lines(try client.request("status")) { print(line) }
    }

    private func lines(_ status: StatusReport) -> [String] {
        let format = status.camera.format.map {
            "\($0.width)x\($0.height) \($0.pixelFormat) \($0.framesPerSecond)/s"
        }
        let drops = status.camera.framesDropped.filter { $0.value > 0 }
            .sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let latency = status.preview.latencyMilliseconds.map {
            ", latency \($0.p50) ms (p99 \($0.p99) ms)"
        }
        let library = status.library
        let megabytes = "\(library.bytes / 1_000_000) MB, \(library.freeBytes / 1_000_000) MB free"
        let camera = status.camera
        let preview = status.preview
        let dropped = drops.isEmpty ? "none" : drops.joined(separator: ", ")
        let version = "board \(status.board)  version \(status.version)"
        let shown = "\(preview.framesShown) shown\(latency ?? "")"
        var lines: [String] = []
        lines.append(
            "\(status.health.uppercased())  \(status.state)  \(version)  up \(Int(status.uptimeSeconds)) s"
        )
        lines.append("camera   \(camera.state) \(camera.name) \(camera.path) \(format ?? "")")
        let restarts = camera.streamRestarts > 0 ? ", restarted \(camera.streamRestarts) times" : ""
        lines.append("         \(camera.framesCaptured) frames, dropped: \(dropped)\(restarts)")
        lines.append("preview  \(preview.connector) \(preview.mode) \(preview.path), \(shown)")
        let degraded = library.degraded ? ", DEGRADED" : ""
        lines.append("library  \(library.photos) photos, \(megabytes)\(degraded)")
        for button in status.buttons {
            lines.append("button   \(button.name) \(button.state), \(button.presses) presses")
        }
        for problem in status.problems {
            lines.append("problem  \(problem.code): \(problem.message)")
        }
        return lines
    }
}
