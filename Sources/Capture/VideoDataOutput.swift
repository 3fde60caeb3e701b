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

    private let backlog: FrameBacklog
    private let thread: ReceiverThread
    private let gate = Gate()

    /// Starts the thread, which ends with the output or ``close()``.
    ///
    /// - Parameter alwaysDiscardsLateVideoFrames: whether a frame that comes while another one still waits takes its
    ///   place; `false`: a few wait, and what comes when they are as many as that is dropped.
    /// - Throws: only when the process is out of descriptors.
    public init(
        alwaysDiscardsLateVideoFrames: Bool = true, receive: @escaping Receiver
    ) throws(SystemCallError) {
        let backlog = FrameBacklog(alwaysDiscardsLateVideoFrames ? nil : Self.places)
        self.backlog = backlog
        thread = try ReceiverThread("video-data") {
            guard let lease = backlog.take() else { return false }
            backlog.delivered.add(1, ordering: .relaxed)
            receive(lease)
            return true
        }
    }

    /// Frames that the receiver was called with, the one included that it looks at now.
    public var framesDelivered: Int { backlog.delivered.load(ordering: .relaxed) }
    /// Frames that came and that it was not called with.
    public var framesDropped: Int { backlog.framesDropped }

    /// Ends the thread; returns when the receiver has. What waits is dropped, and whatever comes.
    public func close() async {
        gate.close()
        thread.end()
        await thread.join()
        backlog.drop()
    }

    // MARK: CaptureOutput

    /// Those that wait, and the one that is looked at.
    public var heldFrames: Int { backlog.places + 1 }
    /// Each frame says itself what it is.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {}
    /// Passes it on, or drops it; returns at once.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        let isWaiting = gate.pass { backlog.put(frame.another()) }
        if isWaiting { thread.wake() } else { backlog.dropped.add(1, ordering: .relaxed) }
    }
    /// What waits is delivered still.
    public func streamDidStop(willRestart: Bool) {}
}

/// What lies between the camera's thread and the receiver's.
private final class FrameBacklog: Sendable {
    let delivered = Atomic<Int>(0)
    /// Those not counted that newer ones have replaced.
    let dropped = Atomic<Int>(0)
    private let newest = NewestFrame {}
    private let queue: FrameQueue?

    /// - Parameter places: of frames that wait in turn; `nil`: the newest alone waits.
    init(_ places: Int?) { queue = places.map(FrameQueue.init) }

    var places: Int { queue?.capacity ?? 1 }
    var framesDropped: Int { dropped.load(ordering: .relaxed) + newest.framesReplaced }

    /// - Returns: whether the frame waits; else it has no place.
    func put(_ lease: consuming FrameLease) -> Bool {
        if let queue { return queue.put(lease) }
        newest.put(lease)
        return true
    }

    /// The oldest that waits.
    func take() -> FrameLease? { queue?.take() ?? newest.take() }

    /// Nobody takes what waits.
    func drop() {
        while take() != nil { dropped.add(1, ordering: .relaxed) }
    }
}
