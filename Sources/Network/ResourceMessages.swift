// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import LinuxIO

/// A request of a ``ResourceLoader`` to a ``ResourceServer``. One end of a new ``PacketSocket``
/// comes with it, which takes the answer.
struct ResourceRequest: Codable {
    var url: String
    /// The first byte that is wanted.
    var offset: Int64 = 0
    /// The version of the bytes that came before; the answer must be of the same one.
    var validator: String?
    /// Whether a server that does not answer is asked again.
    var isPatient = false
}

/// The properties of a resource.
package struct ResourceHead: Codable, Equatable, Sendable {
    /// The URL after all redirects.
    package var url: String
    /// The number of all bytes; `nil` if the server does not say it, as of a live stream.
    package var bytes: Int64?
    /// Whether the server can begin anywhere.
    package var isSeekable: Bool
    /// The server's name of this version; `nil` if it gives none.
    package var validator: String?
    /// Whether the resource has no known end, and each answer begins where it is now.
    var isLive: Bool { bytes == nil }

    /// The media type without parameters, in lower case, such as `video/mp4`; empty if unknown.
    package var type: String
}

/// The reason why a resource cannot be loaded, or not to its end.
public struct ResourceFailure: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure, such as `resource.notFound`.
    public let code: String
    /// The failure and its reason, in one line.
    public let message: String
    /// The next step for a person.
    public let next: String

    init(_ code: String, _ message: String, next: String) {
        (self.code, self.message, self.next) = (code, message, next)
    }

    /// The message and the next step.
    public var description: String { "\(message); next: \(next)" }
}

/// The packets of an answer: a byte for the kind, and what belongs to it.
enum ResourcePacket {
    static let mostBytes = 64 << 10

    enum Kind: UInt8 {
        /// A ``ResourceHead`` in JSON: the first packet, unless the request fails.
        case head = 0x68
        /// Bytes of the resource.
        case bytes = 0x62
        /// A ``ResourceFailure`` in JSON: the last packet.
        case failure = 0x66
        /// The end of the resource: the last packet.
        case end = 0x65
    }

    static func send(
        _ kind: Kind, _ content: ArraySlice<UInt8> = [], to socket: PacketSocket
    ) throws(SystemCallError) {
        let packet = [kind.rawValue] + content
        try unsafe socket.send(packet.span.bytes)
    }

    static func send(
        _ kind: Kind, json value: some Encodable, to socket: PacketSocket
    ) throws {
        try send(kind, [UInt8](JSONEncoder().encode(value))[...], to: socket)
    }
}
