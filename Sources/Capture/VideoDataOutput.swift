// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media
internal import Synchronization

/// Hands a session's frames to a program's own code (AVCaptureVideoDataOutput). Frames arrive in
/// order, as the camera delivered them, on a thread that this output owns. Each frame is delivered,
/// dropped or pending. A receiver that is slow or never returns costs only this output frames.
public final class VideoDataOutput: CaptureOutput {
    /// The program's code, called on the output's thread. The frame goes back to the camera on
    /// return; `another()` keeps it, at the cost of a frame that the camera cannot fill.
    public typealias Receiver = @Sendable (borrowing FrameLease) -> Void

    /// The most pending frames if late ones are not discarded.
    private static let places = 4

    private let backlog: FrameBacklog
    private let thread: ReceiverThread
    private let gate = Gate()

    /// Starts the thread, which ends with the output or ``close()``. If
    /// `alwaysDiscardsLateVideoFrames`, a new frame replaces a pending one; otherwise a few frames
    /// may be pending, and a new one is dropped while there is no room. Throws only when the
    /// process is out of descriptors.
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

    /// Frames passed to the receiver, including one that it is still handling.
    public var framesDelivered: Int { backlog.delivered.load(ordering: .relaxed) }
    /// Frames that arrived but were not passed to the receiver.
    public var framesDropped: Int { backlog.framesDropped }

    /// Ends the thread and returns once the receiver has. Pending and later frames are dropped.
    public func close() async {
        gate.close()
        thread.end()
        await thread.join()
        backlog.drop()
    }

    // MARK: CaptureOutput

    /// The pending frames and the one that the receiver handles.
    public var heldFrames: Int { backlog.places + 1 }
    /// Does nothing: each frame carries its own description.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {}
    /// Passes the frame on, or drops it; returns at once.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        let isWaiting = gate.pass { backlog.put(frame.another()) }
        if isWaiting { thread.wake() } else { backlog.dropped.add(1, ordering: .relaxed) }
    }
    /// Does nothing: pending frames are still delivered.
    public func streamDidStop(willRestart: Bool) {}
}

/// Frames between the camera's thread and the receiver's.
private final class FrameBacklog: Sendable {
    let delivered = Atomic<Int>(0)
    /// Dropped frames, except those that newer ones replaced.
    let dropped = Atomic<Int>(0)
    private let newest = FrameHandoff {}
    private let queue: FrameQueue?

    /// - Parameter places: the most pending frames; `nil` if only the newest is pending.
    init(_ places: Int?) { queue = places.map(FrameQueue.init) }

    var places: Int { queue?.capacity ?? 1 }
    var framesDropped: Int { dropped.load(ordering: .relaxed) + newest.framesReplaced }

    /// - Returns: whether the frame is pending; `false` if there was no room.
    func put(_ lease: consuming FrameLease) -> Bool {
        if let queue { return queue.put(lease) }
        newest.put(lease)
        return true
    }

    func take() -> FrameLease? { queue?.take() ?? newest.take() }

    func drop() {
        while take() != nil { dropped.add(1, ordering: .relaxed) }
    }
}
