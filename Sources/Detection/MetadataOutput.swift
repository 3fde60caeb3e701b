// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
internal import Imaging
internal import LinuxIO
public import Media
internal import Synchronization

/// Tells what is seen in a session's frames (AVCaptureMetadataOutput): motion and its places, QR codes and bar codes.
///
/// It looks on a thread of its own, at one frame now and then. Every frame that it was given was looked at, is none that
/// can be, was passed over, or dropped; or waits.
public final class MetadataOutput: CaptureOutput {
    /// Called on the output's thread when anything was seen.
    ///
    /// - Parameters:
    ///   - objects: never empty.
    ///   - time: of the frame, nanoseconds of `CLOCK_MONOTONIC`.
    public typealias Receiver = @Sendable (_ objects: [MetadataObject], _ time: Int64) -> Void

    private let frames: VideoDataOutput
    private let observer: MetadataObserver

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - kinds: what is looked for.
    ///   - interval: nanoseconds from one frame that is looked at to the next, at the least.
    /// - Throws: ``DetectionError`` where codes are wanted and libzbar is not installed; `SystemCallError` when the
    ///   process is out of descriptors.
    public init(
        _ kinds: Set<MetadataObject.Kind>, interval: Int64 = 200_000_000,
        receive: @escaping Receiver
    ) throws {
        let observer = try MetadataObserver(kinds, interval, receive)
        self.observer = observer
        frames = try VideoDataOutput { observer.look(at: $0) }
    }

    /// Frames that were looked at.
    public var framesExamined: Int { observer.examined.load(ordering: .relaxed) }
    /// Frames that were no pictures, or of a format that nothing here reads.
    public var framesUnreadable: Int { observer.unreadable.load(ordering: .relaxed) }

    /// Frames that came before the interval had passed.
    public var framesPassedOver: Int { observer.passedOver.load(ordering: .relaxed) }
    /// Frames that came while another one was looked at.
    public var framesDropped: Int { frames.framesDropped }

    /// Ends the thread; returns when it has.
    public func close() async { await frames.close() }

    // MARK: CaptureOutput

    /// One that waits, and the one that is looked at.
    public var heldFrames: Int { frames.heldFrames }
    /// Each frame says itself what it is; another scene is no motion.
    public func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {
        observer.isSceneNew.store(true, ordering: .relaxed)
    }
    /// Passes it on; returns at once.
    public func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {
        frames.receive(frame, from: camera)
    }
    /// What waits is looked at still.
    public func streamDidStop(willRestart: Bool) {}
}

/// Looks at frames. What it has is the output's thread's alone.
private final class MetadataObserver: @unchecked Sendable {
    let examined = Atomic<Int>(0)
    let unreadable = Atomic<Int>(0)
    let passedOver = Atomic<Int>(0)
    /// What comes need not show what came before.
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
        // Other pictures are no motion.
        if motion != nil { motion = MotionDetector() }
        return made
    }
}
