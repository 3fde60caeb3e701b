// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Glibc
internal import LinuxIO

struct Screenshot: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Save what a person sees on the screen now, video and overlay, as a PNG file.")

    @Argument(help: "The file to write.", completion: .file(extensions: ["png"]))
    var file: String

    @Flag(help: "On the second display, where the configuration has one.")
    var second = false

    @OptionGroup var client: ClientOptions

    /// An appliance that is older has one display, and is not asked for another.
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
    /// Foundation could not write a file.
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
