// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO

/// What the server says first.
public struct Greeting: Sendable, Codable {
    /// The appliance's program version.
    public var version: String
    /// The number of the protocol; so far there is only 1.
    public var `protocol`: Int

    /// Of the given parts; nothing is checked.
    public init(version: String, protocol: Int = 1) {
        self.version = version
        self.protocol = `protocol`
    }
}

/// What a client asks.
public struct Request: Sendable, Codable {
    /// Comes back in every answer.
    public var id: Int
    /// What is to be done, for example `status` or `library.list`.
    public var verb: String
    /// By name; a verb does not look at those that it does not know.
    public var arguments: [String: JSONValue]
    /// Who asks, as the kernel says; `nil` for what did not come over a socket.
    public internal(set) var peer: PeerCredentials?
    /// What was handed over with it; `nil` for nothing.
    public internal(set) var file: PassedFile?

    private enum CodingKeys: CodingKey { case id, verb, arguments }

    /// Arguments may be left out.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        verb = try container.decode(String.self, forKey: .verb)
        arguments =
            try container.decodeIfPresent([String: JSONValue].self, forKey: .arguments) ?? [:]
    }

    /// `id` is not 0, which stands for what was no request; nothing is checked.
    public init(id: Int, verb: String, arguments: [String: JSONValue] = [:]) {
        self.id = id
        self.verb = verb
        self.arguments = arguments
    }
}

/// What the server answers: any number of `progress`, then one `result` or `error`. The id 0 stands for
/// what was no request.
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

/// A ``Response`` as the client reads it, whose result is known to be a `Value`.
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
        // A null is a result where the value can be one.
        result =
            values.contains(.result) ? try values.decode(Value.self, forKey: .result) : nil
        error = try values.decodeIfPresent(CommandError.self, forKey: .error)
    }
}
