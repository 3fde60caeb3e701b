// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media
internal import Synchronization

/// Hands a session's sound to a program's own code (AVCaptureAudioDataOutput). Chunks arrive in
/// order, on a thread that this output owns, while the session runs. Each chunk is delivered,
/// dropped or pending.
public final class AudioDataOutput: CaptureOutput {
    /// The program's code, called on the output's thread.
    public typealias Receiver = @Sendable (AudioChunk) -> Void

    private let backlog: SoundBacklog
    private let thread: ReceiverThread
    private let source = Mutex(Source())

    private struct Source {
        var listener: Microphone.Listener?
        var isStreaming = false
        var isClosed = false
    }

    /// Starts the thread, which ends with the output or ``close()``. Throws only when the process
    /// is out of descriptors.
    public init(receive: @escaping Receiver) throws(SystemCallError) {
        let backlog = SoundBacklog()
        self.backlog = backlog
        thread = try ReceiverThread("audio-data") {
            guard let chunk = backlog.take() else { return false }
            receive(chunk)
            return true
        }
    }

    /// Chunks passed to the receiver, including one that it is still handling.
    public var chunksDelivered: Int { backlog.counts.delivered }
    /// Chunks that arrived but were not passed to the receiver.
    public var chunksDropped: Int { backlog.counts.dropped }
    /// The format of the microphone connected now; `nil` without one. A chunk that was recorded
    /// earlier may differ: each carries its own format.
    public var format: AudioFormat? { source.withLock { $0.listener?.format } }

    /// Disconnects the microphone, drops pending chunks and ends the thread. Returns once the
    /// receiver has returned.
    public func close() async {
        source.withLock { source in
            source.isClosed = true
            source.listener = nil
        }
        thread.end()
        await thread.join()
        backlog.close()
    }

    // MARK: CaptureOutput

    /// No frames: this output takes sound only.
    public var heldFrames: Int { 0 }
    /// Starts listening to the microphone.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {
        source.withLock { source in
            source.isStreaming = true
            source.listener?.setWanted(true)
        }
    }
    /// Does nothing.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {}
    /// Stops listening, unless the stream will restart.
    public func streamDidStop(willRestart: Bool) {
        if willRestart { return }
        source.withLock { source in
            source.isStreaming = false
            source.listener?.setWanted(false)
        }
    }
    /// Listens to `microphone` from now on; `nil` for none.
    public func soundSourceDidChange(_ microphone: Microphone?) {
        let listener = microphone?.listen { [backlog, thread] chunk in
            backlog.put(chunk)
            thread.wake()
        }
        source.withLock { source in
            if source.isClosed { return }
            source.listener = listener
            if source.isStreaming { listener?.setWanted(true) }
        }
    }
}

/// Chunks between the microphone's thread and the receiver's.
private final class SoundBacklog: Sendable {
    /// A few seconds of sound.
    private static let mostChunks = 64

    private struct State {
        var waiting: [AudioChunk] = []
        var lastTime = Int64.min
        var delivered = 0
        var dropped = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    var counts: (delivered: Int, dropped: Int) {
        state.withLock { ($0.delivered, $0.dropped) }
    }

    /// Adds a chunk; a full backlog drops its oldest one. A driver's times may step back by a few
    /// samples: the times passed on always increase.
    func put(_ chunk: AudioChunk) {
        state.withLock { state in
            if state.isClosed {
                state.dropped += 1
                return
            }
            var chunk = chunk
            chunk.time = max(chunk.time, state.lastTime &+ 1)
            state.lastTime = chunk.time
            if state.waiting.queue(chunk, most: Self.mostChunks) { state.dropped += 1 }
        }
    }

    func take() -> AudioChunk? {
        state.withLock { state in
            if state.waiting.isEmpty { return nil }
            state.delivered += 1
            return state.waiting.removeFirst()
        }
    }

    /// Drops all pending chunks, and all that arrive later.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.dropped += state.waiting.count
            state.waiting = []
        }
    }
}
