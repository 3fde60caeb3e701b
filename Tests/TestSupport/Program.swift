// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc

/// Programs outside Vitrine, run to their end.
public enum Program {
    /// How a program ended, and what it wrote.
    public struct Outcome: Sendable {
        /// The exit status, or the number of the signal that ended it.
        public let status: Int32
        /// Standard output.
        public let output: String
        /// Standard error.
        public let errors: String
        /// Both, one after the other.
        public var text: String { output + errors }
    }

    /// Runs a program and waits for its end.
    ///
    /// - Parameters:
    ///   - name: A path, or a name that PATH is searched for.
    ///   - environment: `nil` for the test's own.
    /// - Throws: ``MissingProgram`` when PATH has no such name.
    public static func run(
        _ name: String, _ arguments: [String], environment: [String: String]? = nil
    ) throws -> Outcome {
        let isPath = name.contains("/")
        let folder = try TemporaryFolder()
        let errors = try folder.write([UInt8](), to: "errors")
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(filePath: isPath ? name : "/usr/bin/env")
        process.arguments = isPath ? arguments : [name] + arguments
        process.environment = environment
        process.standardOutput = output
        // A file never fills up, as a second pipe would while the first is read.
        process.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
        try process.run()
        let written = contents(of: output.fileHandleForReading)
        process.waitUntilExit()
        if !isPath && process.terminationStatus == 127 { throw MissingProgram(name: name) }
        return Outcome(
            status: process.terminationStatus, output: String(decoding: written, as: UTF8.self),
            errors: String(decoding: try folder.contents(of: "errors"), as: UTF8.self))
    }
}

/// A program that a test needs and the machine does not have.
public struct MissingProgram: Error, CustomStringConvertible {
    public let name: String
    public var description: String { "\(name) is not installed" }
}

/// All that comes until the other end is closed; interruptions by signals, which FileHandle takes for
/// fatal, are nothing.
private func contents(of handle: FileHandle) -> Data {
    var data = Data()
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe read(handle.fileDescriptor, &chunk, chunk.count)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { return data }
        data.append(contentsOf: chunk[..<count])
    }
}
