// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
internal import Imaging
internal import LinuxIO
public import Media
internal import Synchronization

/// Detects motion, QR codes and bar codes in a session's frames (AVCaptureMetadataOutput). It
/// examines one frame per interval on its own thread. Each frame counts as examined, unreadable,
/// passed over or dropped; or it is pending.
public final class MetadataOutput: CaptureOutput {
    /// The program's code, called on the output's thread with at least one detection and the
    /// frame's time, in nanoseconds of `CLOCK_MONOTONIC`.
    public typealias Receiver = @Sendable (_ objects: [MetadataObject], _ time: Int64) -> Void

    private let frames: VideoDataOutput
    private let observer: MetadataObserver

    /// Starts the thread, which looks for `kinds` in frames at least `interval` nanoseconds apart.
    /// Throws ``DetectionError`` if codes are wanted and libzbar is not installed;
    /// `SystemCallError` when the process is out of descriptors.
    public init(
        _ kinds: Set<MetadataObject.Kind>, interval: Int64 = 200_000_000,
        receive: @escaping Receiver
    ) throws {
        let observer = try MetadataObserver(kinds, interval, receive)
        self.observer = observer
        frames = try VideoDataOutput { observer.look(at: $0) }
    }

    /// Frames that were examined.
    public var framesExamined: Int { observer.examined.load(ordering: .relaxed) }
    /// Frames that were no pictures, or of an unknown format.
    public var framesUnreadable: Int { observer.unreadable.load(ordering: .relaxed) }

    /// Frames that came before the interval had passed.
    public var framesPassedOver: Int { observer.passedOver.load(ordering: .relaxed) }
    /// Frames that came while another one was examined.
    public var framesDropped: Int { frames.framesDropped }

    /// Ends the thread; returns when it has ended.
    public func close() async { await frames.close() }

    // MARK: CaptureOutput

    /// The pending frame and the one that is examined.
    public var heldFrames: Int { frames.heldFrames }
    /// Starts motion detection again: a change of scene is not motion.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {
        observer.isSceneNew.store(true, ordering: .relaxed)
    }
    /// Passes the frame on; returns at once.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        frames.receive(frame, from: camera)
    }
    /// Does nothing: a pending frame is still examined.
    public func streamDidStop(willRestart: Bool) {}
}

/// Examines frames. Only the output's thread uses its state, apart from the atomics.
private final class MetadataObserver: @unchecked Sendable {
    let examined = Atomic<Int>(0)
    let unreadable = Atomic<Int>(0)
    let passedOver = Atomic<Int>(0)
    /// Whether the scene may have changed since the last frame.
    let isSceneNew = Atomic<Bool>(false)
    private let interval: Int64
    private let receive: MetadataOutput.Receiver
    private var motion: MotionDetector?
    private let codes: CodeReader?
    private var picture: (of: FrameDescription, made: VideoPicture)?
    private var lastTime = Int64.min

    init(
        _ kinds: Set<MetadataObject.Kind>, _ interval: Int64,
        _ receive: @escaping MetadataOutput.Receiver
    ) throws(DetectionError) {
        self.interval = interval
        self.receive = receive
        motion = kinds.contains(.motion) ? MotionDetector() : nil
        codes = kinds.contains(.machineReadableCode) ? try CodeReader() : nil
    }

    func look(at lease: borrowing FrameLease) {
        let time = lease.info.timestamp
        guard lastTime == .min || time - lastTime >= interval else {
            passedOver.add(1, ordering: .relaxed)
            return
        }
        lastTime = time
        if isSceneNew.exchange(false, ordering: .relaxed), motion != nil {
            motion = MotionDetector()
        }
        do {
            let picture = try picture(of: lease.description)
            let objects = try unsafe lease.withPixels { pixels in
                try unsafe picture.withPicture(of: pixels) { unsafe look(in: $0) }
            }
            examined.add(1, ordering: .relaxed)
            if !objects.isEmpty { receive(objects, time) }
        } catch {
            unreadable.add(1, ordering: .relaxed)
        }
    }

    private func look(in pixels: PixelAccess) -> [MetadataObject] {
        let moving = unsafe motion?.look(at: pixels)
        return unsafe [moving].compactMap(\.self) + (codes?.codes(in: pixels) ?? [])
    }

    private func picture(of frame: FrameDescription) throws -> VideoPicture {
        if let picture, picture.of == frame { return picture.made }
        let made = try VideoPicture(of: frame)
        picture = (frame, made)
        // A change of format is not motion.
        if motion != nil { motion = MotionDetector() }
        return made
    }
}
