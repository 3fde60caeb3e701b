// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc
public import LinuxIO
internal import Synchronization

/// The bytes of a media file or stream. One thread at a time.
public protocol MediaSource: AnyObject, Sendable {
    /// Whether ``seek(to:)`` works.
    var isSeekable: Bool { get }
    /// The number of all bytes; `nil` if it is not known.
    var bytes: Int64? { get }
    /// Reads 1 byte or more; returns 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    /// Goes to an offset from the beginning.
    func seek(to offset: Int64) throws
    /// Opens what a playlist names, from an offset on.
    func open(_ url: String, from offset: Int64) throws -> any MediaSource
    /// Whether the next bytes will come as fast as they are played. Any thread.
    /// - Parameter bytesPerSecond: How fast they are played; `nil` if it is not known.
    func isLikelyToKeepUp(at bytesPerSecond: Double?) -> Bool
    /// The bits per second of the best smaller variant whose bytes would come in time, or else of
    /// the smallest; `nil` if there is no smaller one. Any thread.
    var lowerBitRate: Double? { get }
    /// The bits per second of the best larger variant whose bytes would come in time; `nil` if
    /// there is none. Any thread.
    var higherBitRate: Double? { get }
}

/// Ends whatever waits for media, for good. Any thread.
public final class MediaStop: Sendable {
    private let flag = Atomic<Bool>(false)
    /// Wakes those who wait.
    public let signal: WakeSignal

    /// Throws `EMFILE` or `ENFILE` when there are no descriptors.
    public init() throws(SystemCallError) { signal = try WakeSignal() }

    /// Whether everything is to end.
    public var isSet: Bool { flag.load(ordering: .acquiring) }

    /// Ends everything.
    public func set() {
        flag.store(true, ordering: .releasing)
        signal.signal()
    }
}

/// A regular file.
final class FileSource: MediaSource {
    private let file: OwnedDescriptor
    /// The place of the next byte.
    private let position = Atomic<Int64>(0)

    init(_ file: consuming OwnedDescriptor) { self.file = file }

    var isSeekable: Bool { true }

    var bytes: Int64? { (try? file.length()).map { Int64($0) } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let place = position.load(ordering: .relaxed)
        let count = try systemCall("pread") {
            unsafe pread(file.number, buffer.baseAddress, buffer.count, Int(place))
        }
        position.store(place + Int64(count), ordering: .relaxed)
        return count
    }

    func seek(to offset: Int64) { position.store(offset, ordering: .relaxed) }
}

/// The bytes that come through a pipe.
final class PipeSource: MediaSource {
    private let file: OwnedDescriptor
    private let stop: MediaStop
    private let poller: Poller

    init(_ file: consuming OwnedDescriptor, _ stop: MediaStop) throws(SystemCallError) {
        poller = try Poller.watching(stop.signal)
        try poller.add(file.number, tag: 1)
        self.file = file
        self.stop = stop
    }

    var isSeekable: Bool { false }

    var bytes: Int64? { nil }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while !stop.isSet {
            guard poller.wait()?.tag == 1 else { continue }
            let count = unsafe Glibc.read(file.number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if ![EAGAIN, EINTR].contains(errno) {
                throw SystemCallError(call: "read", code: errno)
            }
        }
        throw CancellationError()
    }

    func seek(to offset: Int64) throws {
        throw CodecError(.unsupported, "a pipe cannot go to another place")
    }
}

/// Bytes in memory.
public final class MemorySource: MediaSource {
    private let contents: [UInt8]
    private let position = Mutex(0)

    /// - Parameter contents: All bytes.
    public init(_ contents: [UInt8]) { self.contents = contents }

    /// Always.
    public var isSeekable: Bool { true }

    /// The number of all bytes.
    public var bytes: Int64? { Int64(contents.count) }

    /// Reads the next bytes; returns 0 at the end.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        position.withLock { position in
            let part = contents[min(position, contents.count)...].prefix(buffer.count)
            unsafe buffer.copyBytes(from: part)
            position += part.count
            return part.count
        }
    }

    /// Goes to an offset from the beginning.
    public func seek(to offset: Int64) { position.withLock { $0 = Int(offset) } }
}

extension MediaSource {
    /// Refuses to open anything.
    public func open(_ url: String, from offset: Int64) throws -> any MediaSource {
        throw CodecError(.unsupported, "a file that names others is not played")
    }

    /// Bytes of this machine come in time.
    public func isLikelyToKeepUp(at bytesPerSecond: Double?) -> Bool { true }

    /// A source with one variant.
    public var lowerBitRate: Double? { nil }

    /// A source with one variant.
    public var higherBitRate: Double? { nil }
}
