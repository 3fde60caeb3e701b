// SPDX-License-Identifier: GPL-3.0-or-later

import Glibc
import LinuxIO
import Media
import Playback
import Synchronization
import TestSupport
import Testing

/// A display that notes which picture it is given, by the brightness that ``TestVideo/counting``
/// gives it.
final class NotingTarget: PreviewTarget {
    private struct State {
        var frames: FrameHandoff?
        var numbers: [Int] = []
        var layouts: [VideoLayout] = []
        var paths: [PreviewMemoryPath] = []
        var isAvailable = true
        var observer: (@Sendable () -> Void)?
    }
    private let state = Mutex(State())
    private let lendsMemory: Bool
    let dimensions: Dimensions?

    /// - Parameter lendsMemory: Whether pictures are scanned out of the display's own memory.
    init(lendsMemory: Bool = false, dimensions: Dimensions? = nil) {
        (self.lendsMemory, self.dimensions) = (lendsMemory, dimensions)
    }

    /// The numbers of all pictures so far.
    var numbers: [Int] { state.withLock { $0.numbers } }
    /// The layouts with which a player has connected.
    var layouts: [VideoLayout] { state.withLock { $0.layouts } }
    var paths: [PreviewMemoryPath] { state.withLock { $0.paths } }

    func setAvailable(_ isAvailable: Bool) { state.withLock { $0.isAvailable = isAvailable } }

    /// Behaves like another display.
    func change() { state.withLock { $0.observer }?() }

    // MARK: PreviewTarget

    func observeDisplays(for owner: AnyObject, _ body: (@Sendable () -> Void)?) {
        state.withLock { $0.observer = body }
    }
    var isAvailable: Bool { state.withLock { $0.isAvailable } }
    func canScanOut(_ pixelFormat: PixelFormat) -> Bool { lendsMemory }
    func allocate(_ description: FrameDescription) throws -> [FrameBuffer]? {
        [try FrameBuffer.memory(description.bufferSizes[0])]
    }
    func connect(
        _ pool: FramePool, frames: FrameHandoff, by memoryPath: PreviewMemoryPath,
        layout: VideoLayout
    ) throws -> PreviewPath {
        state.withLock { state in
            state.frames = frames
            state.layouts.append(layout)
            state.paths.append(memoryPath)
        }
        return .copied
    }
    func suspend() { state.withLock { $0.frames = nil } }
    func disconnect() { suspend() }
    func frameArrived() {
        guard let lease = state.withLock({ $0.frames })?.take() else { return }
        let luma = try? unsafe lease.withPixels { pixels in
            let size = unsafe pixels.description.dimensions
            let row = unsafe pixels.plane(0) + size.height / 2 * pixels.bytesPerRow(0)
            return unsafe Double(row[size.width / 2])
        }
        state.withLock { $0.numbers.append(luma.map { Int((($0 - 46) / 4).rounded()) } ?? -1) }
    }
}

/// A sound device without a room: it notes what would have been heard. Its clock is the machine's,
/// a little faster or slower.
final class NotingSound: Sendable {
    private struct State {
        var heard: [Int16] = []
        /// What was written and not heard.
        var waiting: [Int16] = []
        var played = 0
        var startedAt: Int64?
        /// The device stands still when it has played so many samples per channel since its making.
        var limit = Int.max
        var isGone = false
        /// Whether the device has run out of samples.
        var isEmpty = false
        /// The position that the device has told last.
        var told: (frames: Int, host: Int64)?
    }
    private let state = Mutex(State())
    private let speed: Double
    /// The samples per channel that wait in the device at most: 0.2 s.
    private static let room = 9600

    /// - Parameter speed: How much faster than the machine's clock the device plays.
    init(speed: Double = 1) { self.speed = speed }

    /// All samples that were heard, interleaved.
    var heard: [Int16] { state.withLock { $0.heard } }
    /// The position that the device has told last.
    var told: (frames: Int, host: Int64)? { state.withLock { $0.told } }

    /// Lets the device stand still once it has played so much.
    func stop(after time: MediaTime?) {
        let frames = time.map { Int($0.converted(toTimescale: 48_000).value) } ?? .max
        state.withLock { $0.limit = frames }
    }

    /// Waits until the device stands still.
    func reachStop() async throws {
        try await waitUntil("the sound stops") {
            self.state.withLock { $0.heard.count / 2 == $0.limit }
        }
    }

    /// Lets the device hear what waits and run out of samples.
    func underrun() {
        state.withLock { state in
            state.heard += state.waiting
            state.waiting = []
            state.isEmpty = true
        }
    }

    /// Takes the device away.
    func unplug() { state.withLock { $0.isGone = true } }

    /// Opens the device.
    func open() throws(SystemCallError) -> any SoundOutput { Output(self) }

    private func write(_ samples: ArraySlice<Int16>) throws(SystemCallError) -> Int {
        try advance()
        return state.withLock { state in
            let room = Self.room - state.waiting.count / 2
            let taken = min(room, samples.count / 2)
            state.waiting += samples.prefix(2 * taken)
            return taken
        }
    }

    private func start() {
        state.withLock { if $0.startedAt == nil { $0.startedAt = Clock.monotonic } }
    }

    private func position() throws(SystemCallError) -> (frames: Int, host: Int64)? {
        try advance()
        return state.withLock { state in
            guard state.startedAt != nil else { return nil }
            state.told = (state.played, Clock.monotonic)
            return state.told
        }
    }

    /// Hears what the time has come for.
    private func advance() throws(SystemCallError) {
        let code = state.withLock { state -> CInt? in
            if state.isGone { return ENODEV }
            if state.isEmpty { return EPIPE }
            guard let start = state.startedAt else { return nil }
            let left = state.limit - (state.heard.count / 2 - state.played)
            let due = min(Int(Double(Clock.monotonic - start) * 48e-6 * speed), left)
            let count = min(due - state.played, state.waiting.count / 2)
            state.heard += state.waiting.prefix(2 * count)
            state.waiting.removeFirst(2 * count)
            state.played += count
            return due > state.played ? EPIPE : nil
        }
        if let code { throw SystemCallError(call: "the device", code: code) }
    }

    /// The device stops where it has told to be.
    private func restart() {
        state.withLock { state in
            (state.waiting, state.played, state.startedAt) = ([], 0, nil)
            state.isEmpty = false
        }
    }

    private final class Output: SoundOutput {
        private let sound: NotingSound
        let format = AudioFormat(sampleRate: 48_000, channels: 2)

        init(_ sound: NotingSound) { self.sound = sound }

        func write(_ samples: ArraySlice<Int16>) throws(SystemCallError) -> Int {
            try sound.write(samples)
        }
        func start() throws(SystemCallError) { sound.start() }
        func position() throws(SystemCallError) -> (frames: Int, host: Int64)? {
            try sound.position()
        }
        func restart() throws(SystemCallError) { sound.restart() }
    }
}

extension TestVideo {
    static let x264 = "-c:v libx264 -qp 8 -bf 2 -g 12"

    /// Makes a video of ten pictures a second, with a tone that tells the time: its samples rise.
    static func withTone(
        _ name: String, seconds: Int = 2, sound: Double? = nil,
        _ arguments: String = "-c:a pcm_s16le"
    ) throws -> TestVideo {
        let length = sound ?? Double(seconds)
        return try TestVideo(
            name,
            counting(seconds: seconds) + "[out0];"
                + "aevalsrc=0.4*sin(330*2*PI*t)|0.3*sin(440*2*PI*t):s=48000:d=\(length)[out1]",
            "\(x264) \(arguments)")
    }

    /// Returns the samples that the program ffmpeg decodes.
    func samples() throws -> [Int16] {
        let decoded = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-i", path, "-f", "s16le", "-ar", "48000", "-ac", "2",
                folder.path(of: "samples"),
            ])
        try #require(decoded.status == 0, "\(decoded.text)")
        let bytes = try folder.contents(of: "samples")
        return stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }
}

func expectSame(
    _ heard: [Int16], _ wanted: [Int16], at location: SourceLocation = #_sourceLocation
) {
    let difference = zip(heard, wanted).enumerated().first { $1.0 != $1.1 }?.offset
    #expect(
        heard.count == wanted.count && difference == nil,
        "the first difference of \(heard.count) samples is at \(difference ?? -1)",
        sourceLocation: location)
}

/// A loaded machine may leave pictures out, but never shows one twice or out of order.
func expectInOrder(
    _ numbers: [Int], upTo last: Int, at location: SourceLocation = #_sourceLocation
) {
    #expect(numbers.first == 0 && numbers.last == last, sourceLocation: location)
    #expect(
        zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(numbers)",
        sourceLocation: location)
}

/// What a player has told, and waiting for it.
actor PlayerDiary {
    private(set) var events: [Player.Event] = []
    private var waiters: [(isMet: ([Player.Event]) -> Bool, CheckedContinuation<Void, Never>)] = []

    init(_ player: Player) {
        let stream = player.events()
        Task { await self.read(stream) }
    }

    private func read(_ stream: AsyncStream<Player.Event>) async {
        for await event in stream {
            events.append(event)
            waiters.removeAll { waiter in
                if waiter.isMet(events) { waiter.1.resume() }
                return waiter.isMet(events)
            }
        }
    }

    /// Waits for a number of events of a kind.
    func wait(for count: Int = 1, _ isWanted: @escaping @Sendable (Player.Event) -> Bool) async {
        let isMet = { (events: [Player.Event]) in events.count(where: isWanted) >= count }
        if isMet(events) { return }
        await withCheckedContinuation { waiters.append((isMet, $0)) }
    }
}

extension Player.Event {
    var isEnd: Bool { if case .didPlayToEnd = self { true } else { false } }
    var isReady: Bool { if case .readyToPlay = self { true } else { false } }
    var failure: PlaybackError? { if case .failed(_, let error) = self { error } else { nil } }
    var status: Player.TimeControlStatus? {
        if case .timeControlStatusChanged(let status) = self { status } else { nil }
    }
}
