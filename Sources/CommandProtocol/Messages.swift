// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO

/// The server's first message.
public struct Greeting: Sendable, Codable {
    /// The appliance's program version.
    public var version: String
    /// The number of the protocol; only 1 exists so far.
    public var `protocol`: Int

    /// Creates a greeting.
    public init(version: String, protocol: Int = 1) {
        self.version = version
        self.protocol = `protocol`
    }
}

/// A client's request.
public struct Request: Sendable, Codable {
    /// A number that every answer repeats.
    public var id: Int
    /// The operation, for example `status` or `library.list`.
    public var verb: String
    /// The arguments by name. A verb ignores names that it does not know.
    public var arguments: [String: JSONValue]
    /// The client's credentials from the kernel; `nil` if the request did not come over a socket.
    public internal(set) var peer: PeerCredentials?
    /// The open file that came with the request, if any.
    public var file: PassedFile? { files.first }
    /// All files that came with the request.
    public internal(set) var files: [PassedFile] = []

    private enum CodingKeys: CodingKey { case id, verb, arguments }

    /// Decodes a request, in which `arguments` may be missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        verb = try container.decode(String.self, forKey: .verb)
        arguments =
            try container.decodeIfPresent([String: JSONValue].self, forKey: .arguments) ?? [:]
    }

    /// Creates a request. `id` must not be 0, which answers to malformed requests use.
    public init(id: Int, verb: String, arguments: [String: JSONValue] = [:]) {
        self.id = id
        self.verb = verb
        self.arguments = arguments
    }
}

/// The server's answer: any number of `progress`, then one `result` or `error`. The id is 0 if the
/// request was malformed.
struct Response: Encodable {
    var id: Int
    var progress: JSONValue?
    var result: (any Encodable)?
    var error: CommandError?

    private enum CodingKeys: CodingKey { case id, progress, result, error }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id, forKey: .id)
        try values.encodeIfPresent(progress, forKey: .progress)
        if let result { try values.encode(result, forKey: .result) }
        try values.encodeIfPresent(error, forKey: .error)
    }
}

/// A ``Response`` as the client decodes it, with a result of type `Value`.
struct ResponseMessage<Value: Decodable>: Decodable {
    let id: Int
    let progress: JSONValue?
    let result: Value?
    let error: CommandError?

    private enum CodingKeys: CodingKey { case id, progress, result, error }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(Int.self, forKey: .id)
        progress = try values.decodeIfPresent(JSONValue.self, forKey: .progress)
        // A null counts as a result if `Value` can be null.
        result =
            values.contains(.result) ? try values.decode(Value.self, forKey: .result) : nil
        error = try values.decodeIfPresent(CommandError.self, forKey: .error)
    }
}
