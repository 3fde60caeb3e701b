// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Imaging
public import LinuxIO
public import Media
internal import Synchronization

/// Shows a player's pictures on a display (AVPlayerLayer's counterpart). If it can, the display
/// scans out the pictures of a decoder device where they are. Others are copied once, into memory
/// that the display scans out if it can.
public final class PlayerLayer: Sendable {
    /// The display.
    public let target: any PreviewTarget
    /// The fit of pictures whose shape differs from the screen's.
    public let gravity: Gravity
    /// Draws subtitles; `nil` if none are wanted.
    let subtitles: SubtitlePresenter?
    private let frames: FrameHandoff
    private let wake: WakeSignal
    private let state = Mutex(State())
    /// Whether another display is there, which has nothing of the player's.
    private let hasOtherDisplay = Atomic<Bool>(true)

    private struct State {
        var feed: Feed?
        /// The slot of the picture that is shown next.
        var staged: Int?
        /// When a display that refused the pictures is asked again.
        var nextAttempt: Int64 = 0

        /// Forgets the staged picture.
        mutating func discard() {
            if let index = staged.take() { feed?.release(1 << UInt64(index)) }
        }
    }

    /// The memory of one kind of pictures.
    private struct Feed {
        let source: Source
        let pool: FramePool
        let converter = PixelConverter()
        /// The slots that the display does not use, one bit each.
        var free: UInt64
        /// Whether the slots are those of the decoder.
        let isDirect: Bool
        /// The decoder's pictures that the display uses, by slot.
        var held: [Int: DecodedPicture] = [:]
        /// The slot that the display got last.
        var latest: Int?
        var sequence: UInt32 = 0

        mutating func release(_ slots: UInt64) {
            free |= slots
            for index in held.keys where slots & 1 << UInt64(index) != 0 { held[index] = nil }
        }
    }

    private struct Source: Equatable {
        let pixelFormat: PixelFormat
        let dimensions: Dimensions
        let color: ColorDescription
        let layout: VideoLayout
        /// The decoder's memory.
        let pool: FramePool?

        static func == (one: Source, other: Source) -> Bool {
            one.pixelFormat == other.pixelFormat && one.dimensions == other.dimensions
                && one.color == other.color && one.layout == other.layout
                && one.pool === other.pool
        }
    }

    /// One picture is on screen, one committed, one in the handoff, one staged, one being written.
    static let slots = 5

    /// Creates a layer. The display is not used before a player has a picture.
    /// - Parameter subtitles: The place for subtitles; `nil` to show none.
    public init(
        target: any PreviewTarget, gravity: Gravity = .resizeAspect,
        subtitles: (any SubtitleTarget)? = nil
    ) throws(SystemCallError) {
        (self.target, self.gravity) = (target, gravity)
        frames = FrameHandoff { target.frameArrived() }
        wake = try WakeSignal()
        let presenter = subtitles.map { SubtitlePresenter($0, on: target, gravity) }
        self.subtitles = presenter
        if let presenter { Task { await presenter.run() } }
    }

    deinit { subtitles?.end() }

    // MARK: the player's thread

    /// Follows the display, and wakes the player when there is another one.
    func attach(_ wakePlayer: @escaping @Sendable () -> Void) {
        hasOtherDisplay.store(true, ordering: .releasing)
        target.observeDisplays(for: self) { [weak self] in
            self?.hasOtherDisplay.store(true, ordering: .releasing)
            wakePlayer()
        }
    }

    /// Leaves the display; the last picture may stay there.
    func detach() {
        target.observeDisplays(for: self, nil)
        state.withLock { $0 = State() }
        subtitles?.show(nil)
        frames.clear()
        target.suspend()
    }

    /// Returns whether there is another display since the last call, and forgets the former one.
    func takeChange() -> Bool {
        guard hasOtherDisplay.exchange(false, ordering: .acquiringAndReleasing) else {
            return false
        }
        state.withLock { $0 = State() }
        return true
    }

    /// Whether the display scans out a decoder's own memory; `nil` while it shows nothing.
    package var isDirect: Bool? { state.withLock { $0.feed?.isDirect } }

    enum Staging {
        case staged
        /// The display still has all memory.
        case full
        /// There is no display, or it cannot show such pictures.
        case unseen
    }

    /// Makes a picture ready to be shown: copies it into memory of the display unless that can scan
    /// it out as it is. One thread at a time.
    func stage(_ picture: DecodedPicture, of track: MediaTrack) -> Staging {
        state.withLock { state in
            state.discard()
            guard let description = picture.description else { return .unseen }
            let source = Source(
                pixelFormat: description.pixelFormat, dimensions: description.dimensions,
                color: description.color,
                layout: VideoLayout(
                    gravity: gravity, orientation: track.orientation,
                    pixelAspectRatio: track.pixelAspectRatio), pool: picture.pool)
            if state.feed?.source != source, !connect(source, &state) { return .unseen }
            guard var feed = state.feed else { return .unseen }
            feed.release(feed.pool.takeReturned(starving: false))
            defer { state.feed = feed }
            if feed.isDirect, let index = picture.slot {
                // A player shows the picture again that is shown.
                if feed.free & 1 << UInt64(index) == 0 {
                    return index == feed.latest ? .staged : .full
                }
                feed.free &= ~(1 << UInt64(index))
                feed.held[index] = picture
                state.staged = index
                return .staged
            }
            let index = feed.free.trailingZeroBitCount
            guard index < feed.pool.slots.count else { return .full }
            let isCopied: Void?? = try? unsafe feed.pool.slots[index].withPixels(.write) { room in
                try unsafe picture.withPixels { try unsafe feed.converter.convert($0, to: room) }
            }
            guard case .some(.some) = isCopied else { return .unseen }
            feed.free &= ~(1 << UInt64(index))
            state.staged = index
            return .staged
        }
    }

    /// Shows the staged picture, if there is one.
    func present() {
        let lease = state.withLock { state -> FrameLease? in
            guard let index = state.staged.take(), let pool = state.feed?.pool else { return nil }
            state.feed?.sequence &+= 1
            state.feed?.latest = index
            let info = FrameInfo(
                timestamp: Clock.monotonic, sequence: state.feed?.sequence ?? 0, bytesUsed: 0)
            return pool.lend(index, info)
        }
        if let lease { frames.put(lease) }
    }

    /// How long to leave a display alone that refused the pictures.
    private static let patience: Int64 = 1_000_000_000

    private func connect(_ source: Source, _ state: inout State) -> Bool {
        let now = Clock.monotonic
        guard now >= state.nextAttempt else { return false }
        state.feed = nil
        state.nextAttempt = now + Self.patience
        guard target.isAvailable else { return false }
        let direct = source.pool.map { pool in
            FramePool(
                description: pool.description, buffers: pool.slots.map(\.buffers), wake: wake)
        }
        for (memory, isDirect) in [
            (PreviewMemoryPath.imported, true), (.imported, false), (.mapped, false),
        ]
        where memory == .mapped || target.canScanOut(source.pixelFormat) {
            guard let pool = isDirect ? direct : try? pool(source, memory),
                (try? target.connect(
                    pool, frames: frames, by: memory, layout: source.layout)) != nil
            else { continue }
            state.feed = Feed(
                source: source, pool: pool, free: 1 << UInt64(pool.slots.count) - 1,
                isDirect: isDirect)
            state.nextAttempt = 0
            return true
        }
        return false
    }

    private func pool(_ source: Source, _ memory: PreviewMemoryPath) throws -> FramePool? {
        // Display hardware wants rows that begin at multiples of 64 bytes.
        let row = memory == .imported ? (source.dimensions.width + 63) & ~63 : nil
        guard
            let description = FrameDescription(
                source.pixelFormat, source.dimensions, bytesPerRow: row, color: source.color)
        else { return nil }
        var buffers: [[FrameBuffer]] = []
        for _ in 0..<Self.slots {
            if memory == .mapped {
                buffers.append([try FrameBuffer.memory(description.bufferSizes[0])])
            } else if let own = try target.allocate(description) {
                buffers.append(own)
            } else {
                return nil
            }
        }
        return FramePool(description: description, buffers: buffers, wake: wake)
    }
}
