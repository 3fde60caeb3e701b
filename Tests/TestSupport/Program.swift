// SPDX-License-Identifier: GPL-3.0-or-later

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
        // Files never fill up, as pipes would that nobody reads.
        let process = try ChildProcess(
            isPath ? name : "/usr/bin/env", isPath ? arguments : [name] + arguments,
            environment: environment, output: folder.path(of: "output"),
            errors: folder.path(of: "errors"))
        let status = process.wait()
        if !isPath && status == 127 { throw MissingProgram(name: name) }
        return Outcome(
            status: status,
            output: String(decoding: try folder.contents(of: "output"), as: UTF8.self),
            errors: String(decoding: try folder.contents(of: "errors"), as: UTF8.self))
    }
}

/// A program that a test needs and the machine does not have.
public struct MissingProgram: Error, CustomStringConvertible {
    /// As it was asked for.
    public let name: String
    /// That it is not installed.
    public var description: String { "\(name) is not installed" }
}
