// SPDX-License-Identifier: GPL-3.0-or-later

/// A decoder of one track's pictures. Not thread-safe. After an error it is of no more use.
public protocol PictureDecoding: AnyObject {
    /// The name for people, such as `h264`.
    var name: String { get }

    /// Whether pictures that no other one needs may be left out.
    var skipsUnreferenced: Bool { get set }

    /// Forgets all pictures. The next packet must be a key frame.
    func reset() throws

    /// Takes a packet after ``receive()`` has returned `nil`; `nil` at the end, after which the
    /// last pictures come. Damaged data makes no picture.
    func send(_ packet: MediaPacket?) throws

    /// Returns the next picture in the order of presentation; `nil` if there is none yet, or none
    /// any more.
    func receive() throws -> DecodedPicture?
}
