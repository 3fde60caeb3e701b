// SPDX-License-Identifier: GPL-3.0-or-later

/// Runs external programs to their end.
public enum Program {
    /// The exit status and the output of a program.
    public struct Outcome: Sendable {
        /// The exit status, or the number of the signal that ended it.
        public let status: Int32
        /// Standard output.
        public let output: String
        /// Standard error.
        public let errors: String
        /// Standard output, followed by standard error.
        public var text: String { output + errors }
    }

    /// Runs a program and waits for its end.
    ///
    /// - Parameters:
    ///   - name: A path, or a name to look up in PATH.
    ///   - environment: The environment; `nil` for the test's own.
    /// - Throws: ``MissingProgram`` if PATH has no such name.
    public static func run(
        _ name: String, _ arguments: [String], environment: [String: String]? = nil
    ) throws -> Outcome {
        let isPath = name.contains("/")
        let folder = try TemporaryFolder()
        // Files cannot fill up, unlike pipes that nobody reads.
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
    /// The name that was looked up.
    public let name: String
    /// A message that names the program.
    public var description: String { "\(name) is not installed" }
}
