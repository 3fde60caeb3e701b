// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg
internal import Glibc
internal import LinuxIO
internal import Synchronization

/// The error of the last call of a source. libavformat passes on only numbers.
final class SourceFailure: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    func record(_ new: (any Error)?) { error.withLock { $0 = new } }

    func take() -> (any Error)? { error.withLock { $0.take() } }
}

/// A source as libavformat calls it.
final class SourceBridge: Sendable {
    let source: any MediaSource
    /// Shared by all sources of a reader.
    let failure: SourceFailure
    private let stop: MediaStop

    init(_ source: any MediaSource, _ failure: SourceFailure, _ stop: MediaStop) {
        (self.source, self.failure, self.stop) = (source, failure, stop)
    }

    /// The functions to call, valid as long as this object.
    @unsafe var functions: cffmpeg_source {
        var functions = unsafe cffmpeg_source()
        unsafe functions.context = Unmanaged.passUnretained(self).toOpaque()
        unsafe functions.is_seekable = source.isSeekable ? 1 : 0
        unsafe functions.read = { context, buffer, size in
            unsafe SourceBridge.trying(context) { bridge in
                let buffer = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Int(size))
                return CInt(try unsafe bridge.source.read(into: buffer))
            }
        }
        unsafe functions.seek = { context, offset in
            unsafe SourceBridge.trying(context) { bridge in
                try bridge.source.seek(to: offset)
                return 0
            }
        }
        unsafe functions.size = { context in
            unsafe SourceBridge.at(context)?.source.bytes ?? Int64(-ENOSYS)
        }
        unsafe functions.open = { context, part, out in
            unsafe SourceBridge.trying(context) { bridge in
                guard let part = unsafe part?.pointee, let url = unsafe part.url,
                    let out = unsafe out
                else { return -EINVAL }
                let (place, offset) = unsafe (String(cString: url), part.offset)
                var source = try bridge.source.open(place, from: offset)
                if let key = unsafe part.key, let vector = unsafe part.initialization_vector {
                    source = try DecryptingSource(
                        source, key: unsafe String(cString: key),
                        vector: unsafe String(cString: vector))
                }
                let new = SourceBridge(source, bridge.failure, bridge.stop)
                unsafe out.pointee = new.functions
                _ = unsafe Unmanaged.passRetained(new)
                return 0
            }
        }
        unsafe functions.close = { context in
            guard let context = unsafe context else { return }
            unsafe Unmanaged<SourceBridge>.fromOpaque(context).release()
        }
        unsafe functions.is_stopped = { context in
            unsafe SourceBridge.at(context)?.stop.isSet == true ? 1 : 0
        }
        return unsafe functions
    }

    @unsafe private static func at(_ context: UnsafeMutableRawPointer?) -> SourceBridge? {
        unsafe context.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// Records an error, or that there is none; returns the error's number.
    @unsafe private static func trying(
        _ context: UnsafeMutableRawPointer?, _ body: (SourceBridge) throws -> CInt
    ) -> CInt {
        guard let bridge = unsafe at(context) else { return -EINVAL }
        if bridge.stop.isSet { return cffmpeg_exit }
        do {
            let result = try body(bridge)
            bridge.failure.record(nil)
            return result
        } catch is CancellationError {
            return cffmpeg_exit
        } catch {
            bridge.failure.record(error)
            return -EIO
        }
    }
}
