// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Glibc
internal import LinuxIO

struct Screenshot: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Save the picture on the screen, video and overlay, as a PNG file.",
        discussion: """
              vitrine screenshot screen.png
            """)

    @Argument(help: "PNG file to write.", completion: .file(extensions: ["png"]))
    var file: String

    @Flag(help: "Save the picture on the second display instead.")
    var second = false

    @OptionGroup var client: ClientOptions

    /// The request's arguments: none by default, because an older appliance knows only one display.
    private var arguments: [String: JSONValue] { second ? ["second": .bool(true)] : [:] }

    func run() throws {
        guard
            let png = Data(
                base64Encoded: try client.request("screenshot", arguments, as: String.self))
        else {
            throw CommandError(
                "screenshot.damaged", "the appliance sent no picture",
                next: "Look at its log: journalctl -u vitrine", exit: .software)
        }
        do {
            try png.write(to: URL(filePath: file))
        } catch {
            throw CommandError(cannotWrite: file, error)
        }
        if client.json {
            print(
                try jsonLine(["file": JSONValue.string(file), "bytes": .integer(Int64(png.count))]))
        }
    }
}

extension CommandError {
    init(cannotWrite file: String, _ error: any Error) {
        let cause = (error as? CocoaError)?.underlying ?? error
        let refused = (cause as? POSIXError).map {
            SystemCallError(call: "write", code: $0.code.rawValue, path: file)
        }
        self.init(
            "file.io", "cannot write \(file): \(refused?.reason ?? "\(error)")",
            next: "Name a file in a folder that you may write to and that has room.",
            exit: refused?.isPermission == true ? .notPermitted : .io)
    }
}
