// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Glibc
import LinuxIO
import Media
import Simulation
import TestSupport
import Testing

/// A camera whose frames a test can trigger: scripted, simulated or V4L2.
protocol CameraRig {
    var camera: any CameraDriver { get }
    /// Makes the camera deliver this many frames if it does not deliver them by itself.
    func expose(_ frames: Int)
}

extension CameraRig {
    func expose(_ frames: Int) {}
}

/// The rules of every ``CameraDriver``, fake or real. See ``CameraStream``'s documentation.
enum CameraConformance: String, CaseIterable, Sendable {
    case formats, frames, starved, paused, again, kept

    func check(_ rig: some CameraRig) throws {
        switch self {
        case .formats: try formats(rig)
        case .frames: try frames(rig)
        case .starved: try starved(rig)
        case .paused: try paused(rig)
        case .again: try again(rig)
        case .kept: try kept(rig)
        }
    }

    /// Each offered format can be configured, and its maximum frame rate is not exceeded.
    private func formats(_ rig: some CameraRig) throws {
        let stream = try rig.camera.open()
        let offered = Self.tried(rig.camera)
        try #require(!offered.isEmpty)
        for format in offered {
            let answer = try stream.configure(format, frameRate: nil)
            #expect(answer.frame.dimensions == format.dimensions)
            #expect(answer.frame.pixelFormat == format.pixelFormat)
            #expect(answer.cameraFormat == format.cameraFormat)
            #expect(answer.frame.bufferSizes.allSatisfy { $0 > 0 })
            if format.maximumFrameRate > 0 {
                #expect(Double(answer.frameInterval) >= 0.999e9 / format.maximumFrameRate)
            }
        }
    }

    /// Frames arrive in queued slots. Their sequence numbers and `CLOCK_MONOTONIC` timestamps rise.
    private func frames(_ rig: some CameraRig) throws {
        let stream = try RunningCamera(rig)
        var last: FrameInfo?
        for _ in 0..<10 {
            let frame = try stream.next()
            let info = frame.info
            if let last {
                #expect(info.sequence > last.sequence)
                #expect(info.timestamp > last.timestamp)
            }
            // vivid stamps the end of the exposure, which may still be under way.
            let latest = Clock.monotonic + 2 * stream.interval
            #expect((stream.started - stream.interval...latest).contains(info.timestamp))
            #expect((1...stream.pool.slots[frame.index].buffers[0].size).contains(info.bytesUsed))
            #expect(!frame.isDamaged)
            last = info
            try stream.queue(frame.index)
        }
        stream.camera.stop()
    }

    /// A camera without a queued frame delivers none, and continues as soon as it has one.
    private func starved(_ rig: some CameraRig) throws {
        let stream = try RunningCamera(rig)
        var taken: [DequeuedFrame] = []
        // Some drivers keep their last frame, and some deliver it late.
        while stream.queued.count > 1 { taken.append(try stream.next()) }
        #expect(Set(taken.map(\.index)).count == taken.count)
        while let frame = try stream.nextSoon() { taken.append(frame) }
        for _ in 0..<3 {
            guard let frame = try stream.camera.dequeue() else { continue }
            #expect(stream.queued.remove(frame.index) != nil, "a frame that was not queued")
            taken.append(frame)
        }
        for frame in taken { try stream.queue(frame.index) }
        let after = try stream.next()
        let before = taken.last?.info.sequence ?? 0
        #expect(after.info.sequence > before)
        stream.camera.stop()
    }

    /// A pause returns every queued frame to the caller; each can be queued and filled again.
    private func paused(_ rig: some CameraRig) throws {
        let stream = try RunningCamera(rig)
        let first = try stream.next()
        try stream.camera.pause()
        stream.queued = []
        for index in stream.pool.slots.indices { try stream.queue(index) }
        try stream.camera.start()
        var filled: Set<Int> = []
        for _ in 0..<4 * stream.pool.slots.count where !filled.contains(first.index) {
            let frame = try stream.next()
            filled.insert(frame.index)
            try stream.queue(frame.index)
        }
        #expect(filled.contains(first.index))
        stream.camera.stop()
    }

    /// A stopped stream can be configured and started again, in another format if there is one.
    private func again(_ rig: some CameraRig) throws {
        let stream = try RunningCamera(rig)
        _ = try stream.next()
        stream.camera.stop()
        let formats = Self.tried(rig.camera)
        let other = try RunningCamera(
            rig, open: stream.camera, formats.first { $0 != stream.format } ?? stream.format)
        _ = try other.next()
        other.camera.stop()
    }

    /// A frame that is still in use outlives the stream and the camera.
    private func kept(_ rig: some CameraRig) throws {
        var stream: RunningCamera? = try RunningCamera(rig)
        let index = try stream?.next().index ?? 0
        let buffer = stream?.pool.slots[index].buffers[0]
        stream?.camera.stop()
        stream = nil
        let sum = try unsafe buffer?.withBytes(.read) { bytes in
            unsafe UnsafeRawBufferPointer(start: bytes, count: buffer?.size ?? 0)
                .reduce(0) { $0 &+ Int($1) }
        }
        #expect(sum != nil)
    }

    /// Returns one format per camera pixel format, of at most 1280x720 pixels. Formats that need
    /// conversion count only if the camera has no others.
    static func tried(_ camera: any CameraDriver) -> [CaptureFormat] {
        let own = camera.formats.filter { $0.converted == nil }
        var seen: Set<PixelFormat> = []
        return (own.isEmpty ? camera.formats : own).filter {
            $0.dimensions.pixels <= 1280 * 720 && seen.insert($0.cameraFormat).inserted
        }
    }
}

/// A running stream and the frames that it fills.
private final class RunningCamera {
    let rig: any CameraRig
    let camera: any CameraStream
    let format: CaptureFormat
    let pool: FramePool
    let interval: Int64
    let started: Int64
    var queued: Set<Int> = []
    private let poller: Poller

    init(
        _ rig: some CameraRig, open: (any CameraStream)? = nil, _ format: CaptureFormat? = nil
    ) throws {
        poller = try Poller()
        self.rig = rig
        camera = try open ?? rig.camera.open()
        self.format = try #require(format ?? CameraConformance.tried(rig.camera).first)
        let answer = try camera.configure(self.format, frameRate: nil)
        interval = answer.frameInterval
        let buffers = try camera.allocate(.mapped, count: 4)
        try #require(buffers.count >= 2)
        pool = FramePool(description: answer.frame, buffers: buffers, wake: try WakeSignal())
        for slot in pool.slots {
            try camera.queue(slot)
            queued.insert(slot.index)
        }
        started = Clock.monotonic
        try camera.start()
        try poller.add(camera.readyDescriptor, tag: 1)
    }

    func queue(_ index: Int) throws {
        try camera.queue(pool.slots[index])
        queued.insert(index)
    }

    /// Waits for the next frame, woken by the stream's descriptor.
    func next() throws -> DequeuedFrame { try #require(try take(within: 20_000)) }

    /// Waits up to 300 ms for a frame.
    func nextSoon() throws -> DequeuedFrame? { try take(within: 300) }

    private func take(within milliseconds: Int32) throws -> DequeuedFrame? {
        rig.expose(1)
        let end = Clock.monotonic + Int64(milliseconds) * 1_000_000
        while Clock.monotonic < end {
            guard let event = poller.wait(milliseconds: milliseconds) else { return nil }
            guard let frame = try camera.dequeue() else {
                // The descriptor reports an error while no frame is queued.
                if event.readiness.contains(.error) { usleep(10_000) }
                continue
            }
            #expect(queued.remove(frame.index) != nil, "a frame that was not queued")
            return frame
        }
        return nil
    }
}

@Suite("CameraDriver: fakes", .serialized, .ownThread, .timeLimit(.common))
struct FakeCameraTests {
    private struct Simulated: CameraRig {
        let camera: any CameraDriver = SimulatedCamera.pattern()
    }

    private final class Scripted: CameraRig {
        let script: CameraScript
        let camera: any CameraDriver
        private var sequence: UInt32 = 0

        init() throws {
            script = try CameraScript()
            camera = ScriptedCamera(
                script: script, frameInterval: ScriptedCamera.promptInterval)
        }

        func expose(_ frames: Int) {
            for _ in 0..<frames {
                script.play(.frame(sequence: sequence, timestamp: Clock.monotonic))
                sequence += 1
            }
        }
    }

    @Test("the simulated camera conforms", arguments: CameraConformance.allCases)
    func simulation(rule: CameraConformance) throws { try rule.check(Simulated()) }

    @Test("the scripted camera conforms", arguments: CameraConformance.allCases)
    func script(rule: CameraConformance) throws { try rule.check(Scripted()) }
}
