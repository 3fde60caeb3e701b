// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

/// nginx, and a proxy before it that lies. See `board/host/serve_media.py`.
public final class MediaServer: Sendable {
    /// The folder whose `www` is served.
    public let folder: TemporaryFolder
    private let process: ChildProcess
    private let ports: Ports

    private struct Ports: Decodable {
        let plain: Int
        let faulty: Int
    }

    /// Starts the server, and waits until it listens.
    ///
    /// - Parameters:
    ///   - faults: What the proxy does.
    ///   - rate: The share of the answers that it spoils.
    public init(faults: String..., rate: Double = 1) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        try FileManager.default.createDirectory(
            atPath: folder.path(of: "www"), withIntermediateDirectories: true)
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../board/host/serve_media.py").standardized.path
        let lies = faults.isEmpty ? [] : [faults.joined(separator: ","), "\(rate)"]
        let process = try ChildProcess(
            "/usr/bin/python3", ["-B", script, folder.path] + lies,
            errors: folder.path(of: "errors"))
        self.process = process
        let path = folder.path(of: "ports")
        try blockUntil("the server listens") {
            if !process.isRunning {
                throw ServerFailure(
                    description: String(decoding: try folder.contents(of: "errors"), as: UTF8.self))
            }
            return FileManager.default.fileExists(atPath: path)
        }
        ports = try JSONDecoder().decode(Ports.self, from: Data(folder.contents(of: "ports")))
    }

    deinit {
        process.terminate()
        process.wait()
    }

    /// Returns the path of a served file.
    public func path(of name: String) -> String { folder.path(of: "www/\(name)") }

    /// Returns the URL of a served file.
    public func url(_ name: String) -> String { "http://127.0.0.1:\(ports.plain)/\(name)" }

    /// Returns the URL of a served file through the proxy.
    public func faultyURL(_ name: String) -> String { "http://127.0.0.1:\(ports.faulty)/\(name)" }

    /// Returns nginx's answers for a path: method, path, status, protocol and range of each.
    public func answers(_ path: String) throws -> [String] {
        String(decoding: try folder.contents(of: "access.log"), as: UTF8.self)
            .split(separator: "\n").map { String($0) }.filter { $0.contains(path) }
    }
}

private struct ServerFailure: Error, CustomStringConvertible {
    let description: String
}
