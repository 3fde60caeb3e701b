// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Glibc
internal import Settings

struct ClientOptions: ParsableArguments {
    @Option(
        help: "Path of the control socket (default: $VITRINE_SOCKET, or the standard path).",
        completion: .file())
    var socket: String?

    @Flag(help: "Print JSON: one object per line, nothing else.")
    var json = false

    /// Whether a person watches the progress on standard error.
    var showsProgress: Bool { !json && isatty(STDERR_FILENO) == 1 }

    /// The paths to try; the first usable one wins.
    var socketPaths: [String] {
        SocketPath.candidates(option: socket, environment: environmentVariables())
    }

    func connect() throws(CommandError) -> ControlClient { try ControlClient(paths: socketPaths) }

    func request<Value: Decodable>(
        _ verb: String, _ arguments: [String: JSONValue] = [:], as type: Value.Type = Value.self
    ) throws -> Value {
        try connect().request(verb, arguments)
    }
}

struct ConfigurationOptions: ParsableArguments {
    static let standardPath = "/etc/vitrine/vitrine.toml"

    @Option(
        name: .customLong("config"), help: "Configuration file (default: \(standardPath)).",
        completion: .file(extensions: ["toml"]))
    var file: String?

    /// The file's path; `nil` if no file is named and the standard one does not exist.
    var path: String? {
        if let file { return file }
        return unsafe access(Self.standardPath, F_OK) == 0 ? Self.standardPath : nil
    }

    /// Loads the settings, or returns the defaults if there is no file.
    func load() throws(SettingsError) -> Settings {
        try path.map { path throws(SettingsError) in try Settings.load(file: path) } ?? Settings()
    }
}

func environmentVariables() -> [String: String] {
    var variables: [String: String] = [:]
    var next = unsafe environ
    while let entry = unsafe next.pointee {
        let text = unsafe String(cString: entry)
        if let equals = text.firstIndex(of: "=") {
            variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        unsafe next += 1
    }
    return variables
}
