// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media
internal import Synchronization

/// Hands a session's frames to a program's own code (AVCaptureVideoDataOutput): in their order, as the camera
/// delivered them, on a thread of this output's own.
///
/// Every frame that it was given is delivered, dropped, or waits: a receiver that takes its time, or never returns,
/// costs frames of its own and nobody else's.
public final class VideoDataOutput: CaptureOutput {
    /// Called on the output's thread. The frame goes back to the camera when it returns; `another()` keeps it, at
    /// the cost of a frame that the camera cannot fill.
    public typealias Receiver = @Sendable (borrowing FrameLease) -> Void

    /// Frames that wait where late ones are not discarded.
    private static let places = 4

    private let handoff: Handoff
    private let thread: NamedThread

    /// Starts the thread, which ends with the output or ``close()``.
    ///
    /// - Parameter alwaysDiscardsLateVideoFrames: whether a frame that comes while another one still waits takes its
    ///   place; `false`: a few wait, and what comes when they are as many as that is dropped.
    /// - Throws: only when the process is out of descriptors.
    public init(
        alwaysDiscardsLateVideoFrames: Bool = true, receive: @escaping Receiver
    ) throws(SystemCallError) {
        let handoff = try Handoff(alwaysDiscardsLateVideoFrames ? nil : Self.places)
        self.handoff = handoff
        thread = NamedThread("video-data") { handoff.run(receive) }
    }

    deinit { handoff.end() }

    /// Frames that the receiver was called with, the one included that it looks at now.
    public var framesDelivered: Int { handoff.delivered.load(ordering: .relaxed) }
    /// Frames that came and that it was not called with.
    public var framesDropped: Int { handoff.framesDropped }

    /// Ends the thread; returns when the receiver has. What waits is dropped.
    public func close() async {
        handoff.end()
        await thread.join()
    }

    // MARK: CaptureOutput

    /// Those that wait, and the one that is looked at.
    public var heldFrames: Int { handoff.places + 1 }
    /// Each frame says itself what it is.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {}
    /// Passes it on, or drops it; returns at once.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        handoff.put(frame.another())
    }
    /// What waits is delivered still.
    public func streamDidStop(willRestart: Bool) {}
}

/// What lies between the camera's thread and the receiver's.
private final class Handoff: Sendable {
    private let wake: WakeSignal
    private let poller: Poller
    let delivered = Atomic<Int>(0)
    private let dropped = Atomic<Int>(0)
    private let hasEnded = Atomic<Bool>(false)
    private let newest: NewestFrame
    private let queue: FrameQueue?

    /// - Parameter places: of frames that wait in turn; `nil`: the newest alone waits.
    init(_ places: Int?) throws(SystemCallError) {
        let wake = try WakeSignal()
        self.wake = wake
        poller = try Poller()
        try poller.add(wake, tag: 0)
        newest = NewestFrame { wake.signal() }
        queue = places.map(FrameQueue.init)
    }

    var places: Int { queue?.capacity ?? 1 }
    var framesDropped: Int { dropped.load(ordering: .relaxed) + newest.framesReplaced }

    func put(_ lease: consuming FrameLease) {
        guard let queue else { return newest.put(lease) }
        if queue.put(lease) {
            wake.signal()
        } else {
            dropped.add(1, ordering: .relaxed)
        }
    }

    func end() {
        hasEnded.store(true, ordering: .releasing)
        wake.signal()
    }

    func run(_ receive: VideoDataOutput.Receiver) {
        while !hasEnded.load(ordering: .acquiring) {
            guard let lease = queue?.take() ?? newest.take() else {
                _ = poller.wait()
                continue
            }
            delivered.add(1, ordering: .relaxed)
            receive(lease)
        }
        while queue?.take() ?? newest.take() != nil { dropped.add(1, ordering: .relaxed) }
    }
}
