// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials

struct Screenshot: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Save what a person sees on the screen now, video and overlay, as a PNG file.")

    @Argument(help: "The file to write.", completion: .file(extensions: ["png"]))
    var file: String

    @OptionGroup var client: ClientOptions

    func run() throws {
        guard let png = Data(base64Encoded: try client.request("screenshot", as: String.self))
        else {
            throw CommandError(
                "screenshot.damaged", "the appliance sent no picture", exit: .software)
        }
        do {
            try png.write(to: URL(filePath: file))
        } catch {
            throw CommandError("screenshot.io", "cannot write \(file): \(error)", exit: .io)
        }
        if client.json {
            print(
                try jsonLine(["file": JSONValue.string(file), "bytes": .integer(Int64(png.count))]))
        }
    }
}
