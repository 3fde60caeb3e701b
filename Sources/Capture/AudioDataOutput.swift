// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media
internal import Synchronization

/// Hands a session's sound to a program's own code (AVCaptureAudioDataOutput): in its order, on a thread of this
/// output's own, while the session runs.
///
/// Every chunk that it was given is delivered, dropped, or waits.
public final class AudioDataOutput: CaptureOutput {
    /// Called on the output's thread.
    public typealias Receiver = @Sendable (AudioChunk) -> Void

    private let backlog: SoundBacklog
    private let thread: ReceiverThread
    private let source = Mutex(Source())

    private struct Source {
        var listener: Microphone.Listener?
        var isStreaming = false
        var isClosed = false
    }

    /// Starts the thread, which ends with the output or ``close()``. Throws when the process is out of descriptors.
    public init(receive: @escaping Receiver) throws(SystemCallError) {
        let backlog = SoundBacklog()
        self.backlog = backlog
        thread = try ReceiverThread("audio-data") {
            guard let chunk = backlog.take() else { return false }
            receive(chunk)
            return true
        }
    }

    /// Chunks that the receiver was called with, the one included that it looks at now.
    public var chunksDelivered: Int { backlog.counts.delivered }
    /// Chunks that came and that it was not called with.
    public var chunksDropped: Int { backlog.counts.dropped }
    /// What it is given from now on; `nil` without a microphone. Chunks say themselves what they are.
    public var format: AudioFormat? { source.withLock { $0.listener?.format } }

    /// Ends the thread; returns when the receiver has. What waits is dropped, and nobody is listened to any more.
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

    /// None: it is no output for pictures.
    public var heldFrames: Int { 0 }
    /// The microphone is wanted from now on.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {
        source.withLock { source in
            source.isStreaming = true
            source.listener?.setWanted(true)
        }
    }
    /// Nothing.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {}
    /// The microphone is not wanted any more, unless the stream is only agreed anew.
    public func streamDidStop(willRestart: Bool) {
        if willRestart { return }
        source.withLock { source in
            source.isStreaming = false
            source.listener?.setWanted(false)
        }
    }
    /// Listens to this one from now on.
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
    /// Some seconds of it.
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

    /// A driver's times may step back by some samples: the receiver's rise.
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

    /// Nobody takes any more what waits, or comes.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.dropped += state.waiting.count
            state.waiting = []
        }
    }
}
