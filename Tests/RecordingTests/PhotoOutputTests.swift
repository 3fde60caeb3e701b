// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import LinuxIO
import Media
import Recording
import TestSupport
import Testing

@Suite("PhotoOutput", .timeLimit(.common))
struct PhotoOutputTests {
    /// The output waits for a frame's exposure time until the next frame comes.
    private let output = PhotoOutput(
        mostWaitingBytes: 128 << 20, exposurePatience: 3600 * 1_000_000_000)
    private let pool: FramePool
    private let camera = StillStream(exposure: 4_000_000)
    private let interval: Int64 = 33_000_000

    init() throws {
        let size = Dimensions(width: 16, height: 16)
        let description = try #require(FrameDescription(.xrgb, size))
        let buffers = try (0..<8).map { _ in [try FrameBuffer.memory(1024)] }
        pool = FramePool(description: description, buffers: buffers, wake: try WakeSignal())
        start(output)
        _ = pool.takeReturned(starving: false)
    }

    private func start(_ output: PhotoOutput) {
        output.streamDidStart(
            StreamDescription(frame: pool.description, frameInterval: interval),
            on: CaptureConnection(output: output))
    }

    /// Delivers frame `number`, stamped at `number` intervals.
    private func deliver(
        _ number: Int, timestamp: Int64? = nil, from camera: StillStream? = nil,
        to output: PhotoOutput? = nil
    ) {
        let info = FrameInfo(
            timestamp: timestamp ?? Int64(number) * interval, sequence: UInt32(number),
            bytesUsed: 1024)
        let lease = pool.lend(number % 8, info)
        (output ?? self.output).receive(lease, from: camera ?? self.camera)
    }

    @Test(
        "a connection's rotation and mirroring become the photo's EXIF orientation",
        arguments: [
            (0, false, 1), (90, false, 6), (180, false, 3), (270, false, 8),
            (0, true, 2), (90, true, 5), (180, true, 4), (270, true, 7),
        ])
    func orientation(_ degrees: Int, _ isMirrored: Bool, _ expected: Int) async throws {
        var connection = CaptureConnection(output: output)
        try connection.setVideoRotationAngle(degrees)
        try connection.setVideoMirrored(isMirrored)
        output.streamDidStart(
            StreamDescription(frame: pool.description, frameInterval: interval), on: connection)
        let claim = output.hold(interval)
        deliver(1)
        #expect(try await claim.frame().orientation == expected)
        #expect(!connection.isVideoRotationAngleSupported(45))
        #expect(throws: CaptureError.self) { try connection.setVideoRotationAngle(45) }
        output.streamDidStop(willRestart: false)
    }

    @Test("the nearest frame is the photo, with its true offset, unless it is too far away")
    func farAway() async throws {
        let press = interval
        let near = output.hold(press)
        deliver(1, timestamp: press + 900_000_000)
        #expect(try await near.frame().offset == 900_000_000)
        let far = output.hold(press + 3_000_000_000)
        deliver(2, timestamp: press + 5_000_000_000)
        await #expect(throws: PhotoError.self) { try await far.frame() }
        output.streamDidStop(willRestart: false)
    }

    @Test("the nearest frame is chosen, before or after the moment")
    func nearest() async throws {
        deliver(1)
        deliver(2)
        let early = output.hold(2 * interval + interval / 2 - 1)
        let late = output.hold(2 * interval + interval / 2 + 1)
        deliver(3)
        let first = try await early.frame()
        let second = try await late.frame()
        #expect(first.info.sequence == 2)
        #expect(second.info.sequence == 3)
        #expect(first.offset == -(interval / 2 - 1))
        #expect(second.offset == 3 * interval - (2 * interval + interval / 2 + 1))
        #expect(await first.exposureTime == 4_000_000)
    }

    @Test("a moment between two frames that have both come gets the nearer one")
    func lateNotice() async throws {
        deliver(1)
        deliver(2)
        deliver(3)
        let claim = output.hold(2 * interval + 1)
        deliver(4)
        #expect(try await claim.frame().info.sequence == 2)
    }

    @Test("a press soon after a frame gets it at once; a later press waits for the next")
    func atOnce() async throws {
        func frameAtOnce(_ moment: Int64) async throws -> UInt32? {
            let claim = output.hold(moment)
            guard claim.isSettled else {
                output.abandon(claim)
                return nil
            }
            let frame = try await claim.frame()
            #expect(frame.offset == frame.info.timestamp - moment)
            return frame.info.sequence
        }
        let soon = interval * 2 / 5
        deliver(1)
        // After a single frame, the time of the next one is unknown.
        #expect(try await frameAtOnce(interval + 1) == nil)
        deliver(2)
        // Two frames do not show how steady the camera is.
        #expect(try await frameAtOnce(2 * interval + soon) == nil)
        #expect(try await frameAtOnce(2 * interval + interval * 3 / 8) == 2)
        #expect(try await frameAtOnce(interval + 1) == 1)
        // No frame is near this moment. The claim fails only when the next frame comes.
        #expect(try await frameAtOnce(interval - 1_100_000_000) == nil)
        for number in 3...60 { deliver(number) }
        // A moment after the middle belongs to the next frame.
        #expect(try await frameAtOnce(60 * interval + interval * 15 / 32) == 60)
        #expect(try await frameAtOnce(60 * interval + interval / 2) == nil)
        // The frame after a late one comes sooner, and perhaps the one after that too.
        deliver(61, timestamp: 61 * interval + interval / 3)
        #expect(try await frameAtOnce(61 * interval + interval / 3 + soon) == nil)
        deliver(62)
        #expect(try await frameAtOnce(62 * interval + soon) == nil)
        for number in 63...100 { deliver(number) }
        #expect(try await frameAtOnce(100 * interval + soon) == 100)
        output.streamDidStop(willRestart: false)
        await #expect(throws: PhotoError.self) { try await frameAtOnce(3 * interval) }
    }

    @Test("the exposure time of a frame chosen at once comes with the next frame")
    func exposureAtOnce() async throws {
        deliver(1)
        deliver(2)
        let frame = try await output.hold(2 * interval).frame()
        async let exposure = frame.exposureTime
        deliver(3)
        #expect(await exposure == 4_000_000)
        // A second frame is not copied on the button's thread meanwhile.
        #expect(!output.hold(3 * interval).isSettled)
        output.streamDidStop(willRestart: false)
    }

    @Test("a driver that reported no exposure time is asked again for the next photo")
    func exposureUnknown() async throws {
        /// Returns the exposure time of the frame at hand, and releases the frame: only one at a
        /// time can be chosen at once.
        func exposure(of number: Int, next camera: StillStream) async throws -> Int64? {
            let claim = output.hold(Int64(number) * interval)
            #expect(claim.isSettled)
            let frame = try await claim.frame()
            deliver(number + 1, from: camera)
            return await frame.exposureTime
        }
        let automatic = StillStream(exposure: nil)
        deliver(1, from: automatic)
        deliver(2, from: automatic)
        #expect(try await exposure(of: 2, next: automatic) == nil)
        // The exposure is manual from now on, and this photo did not wait for it.
        #expect(try await exposure(of: 3, next: camera) == nil)
        #expect(try await exposure(of: 4, next: camera) == 4_000_000)
        output.streamDidStop(willRestart: false)
    }

    @Test("a frame at hand when the stream ends has no exposure time, and does not wait")
    func exposureAtEnd() async throws {
        deliver(1)
        deliver(2)
        let frame = try await output.hold(2 * interval).frame()
        output.streamDidStop(willRestart: false)
        #expect(await frame.exposureTime == nil)
    }

    @Test("a photo that no frame follows for long has no exposure time, even later")
    func exposureWithoutFrame() async throws {
        let output = PhotoOutput()
        start(output)
        deliver(1, to: output)
        deliver(2, to: output)
        let frame = try await output.hold(2 * interval).frame()
        // The output's own patience ends the wait.
        #expect(await frame.exposureTime == nil)
        deliver(3, to: output)
        #expect(await frame.exposureTime == nil)
        output.streamDidStop(willRestart: false)
    }

    @Test("a light that comes on late excludes the frames exposed before it")
    func light() async throws {
        deliver(1)
        deliver(2)
        // The light comes on within frame 3, so frame 4 is the first that is fully lit.
        let lit = 2 * interval + 1
        let near = output.hold(3 * interval, exposedAfter: lit)
        let far = output.hold(5 * interval + 1, exposedAfter: lit)
        deliver(3)
        deliver(4)
        #expect(try await near.frame().offset == interval)
        deliver(5)
        deliver(6)
        #expect(try await far.frame().info.sequence == 5)
        // A stream that ends has no lit frame.
        let vain = output.hold(6 * interval, exposedAfter: 6 * interval)
        output.streamDidStop(willRestart: false)
        await #expect(throws: PhotoError.self) { try await vain.frame() }
    }

    @Test("a light excludes frames whose distance shows that they may be exposed before it")
    func lightOnLongExposures() async throws {
        deliver(0)
        deliver(2)
        // Frame 4's exposure may have begun at the end of frame 2, before the light.
        let claim = output.hold(3 * interval, exposedAfter: 2 * interval + 1)
        deliver(4)
        deliver(6)
        #expect(try await claim.frame().info.sequence == 6)
        // The announced interval counts again after a gap.
        deliver(97)
        let next = output.hold(98 * interval, exposedAfter: 97 * interval)
        deliver(99, timestamp: 98 * interval)
        #expect(try await next.frame().info.sequence == 99)
        output.streamDidStop(willRestart: false)
    }

    @Test("an abandoned claim holds no frame, and waiting for it throws")
    func abandon() async throws {
        for number in 0..<3 { deliver(number) }
        let claim = output.hold(3 * interval)
        output.abandon(claim)
        for number in 3..<8 { deliver(number) }
        #expect(pool.takeReturned(starving: false) == 0b11111)
        output.streamDidStop(willRestart: false)
        await #expect(throws: PhotoError.self) { try await claim.frame() }
    }

    @Test("a claim for a future moment waits for its frame")
    func ahead() async throws {
        deliver(1)
        let claim = output.hold(5 * interval)
        for number in 2...4 { deliver(number) }
        deliver(5)
        #expect(try await claim.frame().info.sequence == 5)
    }

    @Test("random moments get the frame that a search over all frames finds")
    func randomMoments() async throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let fresh = try PhotoOutputTests()
            var stamps: [Int64] = []
            var time: Int64 = 0
            for _ in 0..<6 {
                time += interval + Int64.random(in: -4_000_000...4_000_000, using: &random)
                stamps.append(time)
            }
            let moment = Int64.random(in: stamps[1]...stamps[4], using: &random)
            // The press is noticed up to one frame after the moment.
            let next = stamps.firstIndex { $0 >= moment } ?? 5
            let noticed = Int.random(in: next...min(next + 1, 5), using: &random)
            var claim: FrameClaim?
            for (index, stamp) in stamps.enumerated() {
                if index == noticed { claim = fresh.output.hold(moment) }
                fresh.deliver(index, timestamp: stamp)
            }
            let expected = stamps.indices.min {
                abs(stamps[$0] - moment) < abs(stamps[$1] - moment)
            }
            let frame = try await #require(claim).frame()
            #expect(frame.info.sequence == UInt32(expected ?? 99))
        }
    }

    @Test("a photo holds its frame until it ends, and the ring holds three frames")
    func leases() async throws {
        for number in 0..<4 { deliver(number) }
        #expect(pool.takeReturned(starving: false) == 0b1)
        try await holdThirdFrame()
        #expect(pool.takeReturned(starving: false) == 0b1000)
    }

    private func holdThirdFrame() async throws {
        let claim = output.hold(3 * interval)
        deliver(4)
        let frame = try await claim.frame()
        #expect(frame.info.sequence == 3)
        for number in 5..<8 { deliver(number) }
        #expect(pool.takeReturned(starving: false) == 0b10110)
    }

    @Test("one photo of a frame keeps the camera's memory, and the others are copies")
    func burst() async throws {
        try unsafe pool.slots[4].buffers[0].withBytes(.write) { bytes in
            unsafe bytes.storeBytes(of: 0x1234_5678, as: UInt32.self)
        }
        var claims = (0..<4).map { output.hold(4 * interval + Int64($0)) }
        deliver(4)
        deliver(5)
        var frames: [CapturedFrame] = []
        for claim in claims { frames.append(try await claim.frame()) }
        claims = []
        #expect(frames.allSatisfy { $0.info.sequence == 4 })
        for number in [6, 7, 8] { deliver(number) }
        #expect(pool.takeReturned(starving: false) == 0b10_0000, "the first one holds frame 4")
        frames.removeFirst()
        #expect(pool.takeReturned(starving: false) == 0b1_0000, "none of the others does")
        // The next photo may use the camera's memory again.
        frames = []
        let claim = output.hold(8 * interval)
        deliver(9)
        let frame = try await claim.frame()
        for number in [10, 11, 12] { deliver(number) }
        #expect(pool.takeReturned(starving: false) & 1 == 0)
        withExtendedLifetime(frame) {}
    }

    @Test("a press while the stream restarts gets the next stream's first frame")
    func restart() async throws {
        deliver(1)
        output.streamDidStop(willRestart: true)
        let claim = output.hold(2 * interval)
        start(output)
        deliver(5)
        #expect(try await claim.frame().offset == 3 * interval)
        output.streamDidStop(willRestart: true)
        let vain = output.hold(6 * interval)
        output.streamDidStop(willRestart: false)
        await #expect(throws: PhotoError.self) { try await vain.frame() }
    }

    @Test("a photo with a future moment or a new light waits while the stream restarts")
    func restartBeforeMoment() async throws {
        deliver(1)
        deliver(2)
        let claims = [
            output.hold(41 * interval), output.hold(2 * interval, exposedAfter: 2 * interval),
        ]
        // This one takes a frame at hand, as the next stream may take any time to come.
        let now = output.hold(6 * interval)
        output.streamDidStop(willRestart: true)
        #expect(try await now.frame().info.sequence == 2)
        start(output)
        for number in [5, 39, 40, 41] { deliver(number) }
        #expect(try await claims[0].frame().info.sequence == 41)
        #expect(try await claims[1].frame().info.sequence == 5)
    }

    @Test("a claim without a stream fails, and so does one that waits when the stream ends")
    func noStream() async throws {
        let waiting = output.hold(100 * interval)
        output.streamDidStop(willRestart: false)
        await #expect(throws: PhotoError.self) { try await waiting.frame() }
        let refused = output.hold(interval)
        await #expect(throws: PhotoError.self) { try await refused.frame() }
    }

    @Test("a stream that ends right after the press still gives the frame at hand")
    func endAfterPress() async throws {
        deliver(1)
        let claim = output.hold(interval + 1)
        output.streamDidStop(willRestart: false)
        #expect(try await claim.frame().info.sequence == 1)
    }

    // MARK: Bursts

    private func frames(of burst: BurstClaim) async -> [CapturedFrame] {
        var frames: [CapturedFrame] = []
        for await frame in burst.frames { frames.append(frame) }
        return frames
    }

    @Test("a burst has successive frames from the nearest one on, even from a past one")
    func burstInARow() async {
        for number in 1...3 { deliver(number) }
        // The press is noticed two frames late.
        let moment = 2 * interval - 1_000_000
        let burst = output.holdBurst(moment, count: 5)
        for number in 4...9 { deliver(number) }
        let frames = await frames(of: burst)
        #expect(frames.map(\.info.sequence) == [2, 3, 4, 5, 6])
        #expect(frames.map(\.offset) == (2...6).map { Int64($0) * interval - moment })
        #expect(await frames[3].exposureTime == 4_000_000)
        output.streamDidStop(willRestart: false)
    }

    @Test("a burst that is noticed as the nearest frame leaves the ring begins with it")
    func burstNoticedLate() async {
        for number in 1...3 { deliver(number) }
        let burst = output.holdBurst(interval + 1_000_000, count: 4)
        for number in 4...6 { deliver(number) }
        output.streamDidStop(willRestart: false)
        #expect(await frames(of: burst).map(\.info.sequence) == [1, 2, 3, 4])
    }

    @Test(
        "a burst begins with the edge's frame if all later ones are at hand",
        arguments: [(1, [1, 2, 3, 4]), (4, [1, 2, 3, 4]), (5, [3, 4, 5, 6])])
    func burstFromEdge(_ newest: Int, _ expected: [UInt32]) async {
        // The limit holds the burst's four frames, so the edge's frame must not count.
        let output = PhotoOutput(mostWaitingBytes: 4 * 1024)
        start(output)
        deliver(1, to: output)
        let moment = interval + 1_000_000
        let edge = output.hold(moment)
        for number in 1..<newest { deliver(number + 1, to: output) }
        let burst = output.holdBurst(moment, count: 4, from: edge)
        output.abandon(edge)
        for number in (newest + 1)...8 { deliver(number, to: output) }
        output.streamDidStop(willRestart: false)
        let frames = await frames(of: burst)
        #expect(frames.map(\.info.sequence) == expected)
        #expect(frames.first?.offset == Int64(expected[0]) * interval - moment)
    }

    @Test("a burst whose edge still waits for its frame begins with that frame")
    func burstFromUnsettledEdge() async {
        deliver(1)
        let moment = 2 * interval - 1_000_000
        let edge = output.hold(moment)
        #expect(!edge.isSettled)
        let burst = output.holdBurst(moment, count: 3, from: edge)
        output.abandon(edge)
        for number in 2...5 { deliver(number) }
        output.streamDidStop(willRestart: false)
        #expect(await frames(of: burst).map(\.info.sequence) == [2, 3, 4])
    }

    @Test("a burst does not begin with a frame of the previous stream")
    func burstFromEdgeOfOtherStream() async {
        deliver(1)
        let edge = output.hold(interval + 1_000_000)
        output.streamDidStop(willRestart: true)
        start(output)
        let burst = output.holdBurst(interval + 1_000_000, count: 2, from: edge)
        for number in 2...4 { deliver(number) }
        output.streamDidStop(willRestart: false)
        #expect(await frames(of: burst).map(\.info.sequence) == [2, 3])
    }

    @Test("a burst's frames wait in their own memory, and the camera's are returned")
    func burstMemory() async {
        let burst = output.holdBurst(interval, count: 6)
        for number in 1...6 { deliver(number) }
        output.streamDidStop(willRestart: false)
        // One frame may wait in the camera's own memory.
        #expect(pool.takeReturned(starving: false) == 0b111_1100)
        #expect(await frames(of: burst).count == 6)
    }

    @Test("a burst ahead begins at its moment, and two bursts share the same frames")
    func burstsAhead() async {
        let first = output.holdBurst(3 * interval, count: 3)
        let second = output.holdBurst(4 * interval, count: 2)
        for number in 1...6 { deliver(number) }
        #expect(await frames(of: first).map(\.info.sequence) == [3, 4, 5])
        #expect(await frames(of: second).map(\.info.sequence) == [4, 5])
        output.streamDidStop(willRestart: false)
    }

    @Test("a burst ends with its frames so far when the camera goes or it is abandoned")
    func burstEnds() async {
        let cut = output.holdBurst(interval, count: 9)
        let abandoned = output.holdBurst(interval, count: 9)
        deliver(1)
        output.abandon(abandoned)
        deliver(2)
        output.streamDidStop(willRestart: false)
        #expect(await frames(of: cut).map(\.info.sequence) == [1, 2])
        #expect(await frames(of: abandoned).map(\.info.sequence) == [1])
        #expect(await frames(of: output.holdBurst(interval, count: 2)).isEmpty)
    }

    @Test("a burst ends before its waiting frames fill the memory")
    func burstFillsMemory() async throws {
        let description = try #require(
            FrameDescription(.xrgb, Dimensions(width: 4096, height: 3072)))
        let size = description.bufferSizes[0]
        let buffers = try (0..<4).map { _ in [try FrameBuffer.memory(size)] }
        let large = FramePool(description: description, buffers: buffers, wake: try WakeSignal())
        let burst = output.holdBurst(interval, count: 4)
        for number in 1...4 {
            let info = FrameInfo(
                timestamp: Int64(number) * interval, sequence: UInt32(number), bytesUsed: size)
            output.receive(large.lend(number - 1, info), from: camera)
        }
        // Each frame takes 50 MB, and all may take 128 MB.
        #expect(await frames(of: burst).map(\.info.sequence) == [1, 2])
        // The waiting frames are gone.
        let next = output.holdBurst(5 * interval, count: 1)
        deliver(5)
        #expect(await frames(of: next).count == 1)
        output.streamDidStop(willRestart: false)
    }

    @Test("a burst with a light has only frames that were exposed in it")
    func burstInLight() async {
        let burst = output.holdBurst(2 * interval, count: 2, exposedAfter: 3 * interval + 1)
        for number in 1...6 { deliver(number) }
        #expect(await frames(of: burst).map(\.info.sequence) == [5, 6])
        output.streamDidStop(willRestart: false)
    }

    @Test("a burst without a near frame ends empty, as a photo fails")
    func burstFarAway() async {
        let burst = output.holdBurst(interval, count: 3)
        deliver(1, timestamp: 3_000_000_000)
        #expect(await frames(of: burst).isEmpty)
        output.streamDidStop(willRestart: false)
    }

    @Test("a burst that has not begun waits while the stream restarts; one that has ends")
    func burstRestart() async {
        let begun = output.holdBurst(interval, count: 3)
        let ahead = output.holdBurst(4 * interval, count: 2)
        deliver(1)
        output.streamDidStop(willRestart: true)
        #expect(await frames(of: begun).map(\.info.sequence) == [1])
        start(output)
        for number in 4...6 { deliver(number) }
        #expect(await frames(of: ahead).map(\.info.sequence) == [4, 5])
        output.streamDidStop(willRestart: false)
    }

    @Test("a burst of a duration has the frames that come within it")
    func burstOfTime() async {
        let burst = output.holdBurst(interval, count: .max, duration: 3 * interval)
        for number in 1...6 { deliver(number) }
        #expect(await frames(of: burst).map(\.info.sequence) == [1, 2, 3, 4])
        output.streamDidStop(willRestart: false)
    }

    @Test("a burst of a duration without enough memory has fewer frames, evenly spread")
    func burstOfLongTime() async {
        let output = PhotoOutput(mostWaitingBytes: 4 * 1024)
        start(output)
        let burst = output.holdBurst(interval, count: .max, duration: 9 * interval)
        for number in 1...12 {
            let info = FrameInfo(
                timestamp: Int64(number) * interval, sequence: UInt32(number), bytesUsed: 1024)
            // The first frame waits in the camera's own memory.
            output.receive(pool.lend(number == 1 ? 0 : 1 + number % 7, info), from: camera)
        }
        #expect(await frames(of: burst).map(\.info.sequence) == [1, 4, 7, 10])
        output.streamDidStop(willRestart: false)
    }
}
