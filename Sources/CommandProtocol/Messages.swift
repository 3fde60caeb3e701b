// SPDX-License-Identifier: GPL-3.0-or-later

/// What the server says first.
public struct Greeting: Sendable, Codable {
    public var version: String
    public var `protocol`: Int

    public init(version: String, protocol: Int = 1) {
        self.version = version
        self.protocol = `protocol`
    }
}

/// What a client asks.
public struct Request: Sendable, Codable {
    /// Comes back in every answer.
    public var id: Int
    public var verb: String
    public var arguments: [String: JSONValue]

    public init(id: Int, verb: String, arguments: [String: JSONValue] = [:]) {
        self.id = id
        self.verb = verb
        self.arguments = arguments
    }
}

/// What the server answers: any number of `progress`, then one `result` or `error`.
public struct Response: Sendable, Codable {
    public var id: Int
    public var progress: JSONValue?
    public var result: JSONValue?
    public var error: CommandError?

    public init(
        id: Int, progress: JSONValue? = nil, result: JSONValue? = nil, error: CommandError? = nil
    ) {
        self.id = id
        self.progress = progress
        self.result = result
        self.error = error
    }
}
