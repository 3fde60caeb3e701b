// SPDX-License-Identifier: GPL-3.0-or-later

import Display
import Glibc
import Imaging
import LinuxIO
import Media
import Simulation
import Synchronization

/// The abilities and recorded calls of a ``WatchedScreen``, for a test on another thread.
final class ScreenScript: Sendable {
    /// A commit, as a person would see it.
    struct Committed: Sendable {
        var screen: Dimensions
        var placement: LayerPlacement
        /// The upper left pixel of each layer; `nil` for an absent layer.
        var video: UInt32?
        var overlay: UInt32?
        var videoDescription: FrameDescription?
        /// The thread that made the commit.
        var thread: pthread_t
        /// Whether the commit named only the video's picture.
        var isFlip: Bool
        /// Whether the flip was to be read.
        var isAnnounced: Bool
        /// When the screen made the previous commit.
        var previousTime: Int64
        /// Whether the commit was refused before, because it came too early.
        var isRetry = false
    }

    struct State: Sendable {
        /// The monitor's modes, its native one first.
        var modes: [Dimensions]
        var hasOverlay = true
        /// Whether video may be scaled to its place on the screen.
        var scales = true
        /// The rotation at which the display is mounted. Its planes cannot turn pictures.
        var rotation = Rotation.none
        var isPlugged = true
        var isActive = true
        var refusesStandby = false
        /// Whether the display accepts full commits only.
        var knowsNoFlips = false
        /// The error of every commit.
        var refusal: CInt?
        var refusedCommits: [Committed] = []
        /// Whether these are all the commits to refuse.
        var areAllRefused: @Sendable ([Committed]) -> Bool = { _ in false }
        /// The number of commits that came before the previous commit's flip.
        var earlyCommits = 0
        /// Whether a commit was refused for coming too early, and none has come since.
        var owesRetry = false
        /// The statistics of the screen that uses this display.
        var statistics: ScreenStatistics?
        /// Whether foreign memory cannot be scanned out.
        var refusesImports = false
        /// Formats whose images cannot be made.
        var refused: [PixelFormat] = []
        /// Formats that do not work below the overlay.
        var notBelowOverlay: [PixelFormat] = []

        var commits: [Committed] = []
        /// Calls that a kernel would refuse, or that disturb the picture.
        var faults: [String] = []
        var opened = 0
        /// The images of a camera's memory, in the order of its slots.
        var imported: [ObjectIdentifier] = []
        var made: [(format: PixelFormat, mapping: ImageMapping)] = []
        var onScreen: Set<ObjectIdentifier> = []
        var committed: Set<ObjectIdentifier> = []
    }
    private let state: Mutex<State>

    init(
        _ modes: Dimensions..., hasOverlay: Bool = true, scales: Bool = true,
        rotation: Rotation = .none
    ) {
        state = Mutex(
            State(modes: modes, hasOverlay: hasOverlay, scales: scales, rotation: rotation))
    }

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        state.withLock { body(&$0) }
    }

    /// Checks slots that return to the camera, one bit each. They belong to the first stream.
    func returned(_ slots: UInt64) {
        state.withLock { state in
            for (slot, image) in state.imported.enumerated() where slots & (1 << UInt64(slot)) != 0
            {
                if state.onScreen.union(state.committed).contains(image) {
                    state.faults.append("slot \(slot) given back while on screen")
                }
            }
        }
    }

    var commits: [Committed] { state.withLock { $0.commits } }
    var faults: [String] { state.withLock { $0.faults } }
    var opened: Int { state.withLock { $0.opened } }

    /// Refuses commits until `areAllRefused` returns true for the refused ones.
    func refuse(_ code: CInt, until areAllRefused: @escaping @Sendable ([Committed]) -> Bool) {
        state.withLock { state in
            (state.refusal, state.refusedCommits) = (code, [])
            state.areAllRefused = areAllRefused
        }
    }

    /// Opens a screen with this display, and returns it with the handoff of frames to it.
    func start() throws -> (Screen, FrameHandoff) {
        let screen = try Screen(open: open)
        let statistics = screen.statistics
        state.withLock { $0.statistics = statistics }
        return (screen, FrameHandoff { screen.frameArrived() })
    }

    func open() throws(DisplayError) -> any ScanoutDevice {
        let (isPlugged, native, hasOverlay) = state.withLock { state in
            if state.isPlugged { state.opened += 1 }
            return (state.isPlugged, state.modes[0], state.hasOverlay)
        }
        guard isPlugged else { throw DisplayError(.noDisplay, "no monitor") }
        return WatchedScreen(try MemoryScreen(size: native, hasOverlay: hasOverlay), self)
    }
}

/// A memory screen that behaves like a monitor: it has modes and limited hardware, and its images
/// must outlive their time on screen.
final class WatchedScreen: ScanoutDevice {
    private let screen: MemoryScreen
    private let script: ScreenScript
    private(set) var size: Dimensions
    private var isFlipping = false
    private var isAnnounced = true
    /// The last committed overlay, and its first pixel at that time.
    private weak var overlay: WatchedImage?
    private var overlayPixel: UInt32?
    /// The last commit that showed video, until the display changes.
    private var video: (description: FrameDescription, placement: LayerPlacement)?

    init(_ screen: MemoryScreen, _ script: ScreenScript) {
        self.screen = screen
        self.script = script
        size = screen.size
    }

    var connectorName: String { screen.connectorName }
    var modeName: String { "\(size)@60" }
    var preferredSize: Dimensions { screen.size }
    var flipDescriptor: CInt { screen.flipDescriptor }
    var refreshInterval: Int64 { screen.refreshInterval }
    var hasOverlay: Bool { screen.hasOverlay }
    func canScanOut(_ format: PixelFormat) -> Bool { screen.canScanOut(format) }

    func importImage(
        _ description: FrameDescription, _ buffers: [FrameBuffer]
    ) throws -> any ScanoutImage {
        if script.with({ $0.refusesImports }) {
            throw SystemCallError(call: "DRM_IOCTL_PRIME_FD_TO_HANDLE", code: EINVAL)
        }
        let image = WatchedImage(try screen.importImage(description, buffers), script)
        script.with { $0.imported.append(ObjectIdentifier(image)) }
        return image
    }

    func makeImage(
        _ format: PixelFormat, _ size: Dimensions, color: ColorDescription, _ mapping: ImageMapping
    ) throws -> any ScanoutImage {
        let isRefused = script.with { state in
            state.made.append((format, mapping))
            return state.refused.contains(format)
        }
        if isRefused { throw SystemCallError(call: "DRM_IOCTL_MODE_CREATE_DUMB", code: 12) }
        return WatchedImage(try screen.makeImage(format, size, color: color, mapping), script)
    }

    func makeScreenImage(
        _ format: PixelFormat, _ size: Dimensions, _ mapping: ImageMapping
    ) throws -> any ScanoutImage {
        let rotation = script.with { $0.rotation }
        let image = try makeImage(format, rotation.apply(to: size), color: .jpeg, mapping)
        return WatchedImage(image, script, rotation: rotation)
    }

    func placeVideo(_ image: any ScanoutImage, _ layout: VideoLayout) throws -> LayerPlacement {
        let picture = image.description
        let format = picture.pixelFormat
        let (modes, scales, clashes, rotation) = script.with { state in
            (state.modes, state.scales, state.notBelowOverlay.contains(format), state.rotation)
        }
        if rotation != image.rotation { throw DisplayError(.unsupported, "nothing turns it") }
        if rotation != .none {
            return LayerPlacement(source: PixelRect(size), target: PixelRect(size))
        }
        if clashes && hasOverlay { throw DisplayError(.unsupported, "not below an overlay") }
        for mode in [modes[0]] + modes.filter({ $0 == picture.dimensions }) {
            let placement = layout.place(picture.dimensions, on: mode)
            guard scales || placement.source.size == placement.target.size else { continue }
            if mode != size {
                // A real modeset shows black and discards all layers.
                size = mode
                video = nil
                script.with { state in
                    state.onScreen = []
                    state.committed = []
                }
            }
            return placement
        }
        throw DisplayError(.unsupported, "no mode and no scaling for \(picture.dimensions)")
    }

    func commit(
        video: (any ScanoutImage)?, _ placement: LayerPlacement, overlay: (any ScanoutImage)?
    ) throws {
        self.video = nil
        try commit(video, placement, overlay)
        self.video = video.map { ($0.description, placement) }
    }

    func flip(to picture: any ScanoutImage, isAnnounced: Bool) throws -> Bool {
        guard let video, !script.with({ $0.knowsNoFlips }) else { return false }
        if picture.description != video.description {
            script.with { $0.faults.append("a flip to a picture of another shape") }
        }
        self.video = nil
        try commit(
            picture, video.placement, overlay, isFlip: true, isAnnounced: isAnnounced)
        self.video = video
        return true
    }

    private func commit(
        _ video: (any ScanoutImage)?, _ placement: LayerPlacement, _ overlay: (any ScanoutImage)?,
        isFlip: Bool = false, isAnnounced: Bool = true
    ) throws {
        if isFlipping, !self.isAnnounced { _ = try readTimer() }
        var committed = ScreenScript.Committed(
            screen: size, placement: placement, video: try video.map(firstPixel),
            overlay: try overlay.map(firstPixel), videoDescription: video?.description,
            thread: pthread_self(), isFlip: isFlip, isAnnounced: isAnnounced,
            previousTime: script.with { $0.statistics }?.lastCommitTime ?? 0)
        let layers = Set([video, overlay].compactMap { $0.map(ObjectIdentifier.init) })
        let fault = try overlayFault() ?? fault(video, placement, overlay)
        let (isEarly, isToBeRead) = (isFlipping, self.isAnnounced)
        let refusal = script.with { state -> CInt? in
            if isEarly {
                state.earlyCommits += 1
                state.owesRetry = true
                if isToBeRead { state.faults.append("a commit before the flip of the one before") }
                return EBUSY
            }
            if !state.isActive { state.faults.append("a commit to a screen that is off") }
            if let refusal = state.refusal {
                state.refusedCommits.append(committed)
                if state.areAllRefused(state.refusedCommits) { state.refusal = nil }
                if let fault { state.faults.append(fault) }
                return refusal
            }
            (committed.isRetry, state.owesRetry) = (state.owesRetry, false)
            state.commits.append(committed)
            if let fault { state.faults.append(fault) }
            state.committed = layers
            return nil
        }
        if let refusal { throw SystemCallError(call: "DRM_IOCTL_MODE_ATOMIC", code: refusal) }
        // Atomic commits fail with ENOSPC for planes beyond the screen.
        if fault != nil { throw SystemCallError(call: "DRM_IOCTL_MODE_ATOMIC", code: 28) }
        try screen.commit(video: nil, placement, overlay: nil)
        (isFlipping, self.isAnnounced) = (true, isAnnounced)
        (self.overlay, overlayPixel) = (overlay as? WatchedImage, committed.overlay)
    }

    private func overlayFault() throws -> String? {
        guard let overlay, script.with({ $0.onScreen.contains(ObjectIdentifier(overlay)) }),
            try firstPixel(overlay) != overlayPixel
        else { return nil }
        return "an overlay drawn while on screen"
    }

    private func fault(
        _ video: (any ScanoutImage)?, _ placement: LayerPlacement, _ overlay: (any ScanoutImage)?
    ) -> String? {
        let wanted = script.with { $0.rotation }
        for layer in [video, overlay].compactMap(\.self) where layer.rotation != wanted {
            return "a picture that is not turned"
        }
        if wanted != .none { return nil }
        if let overlay, overlay.description.dimensions != size {
            return "an overlay of \(overlay.description.dimensions) on \(size)"
        }
        guard let video else { return nil }
        let (picture, target) = (video.description.dimensions, placement.target)
        let isOutside =
            placement.source.x + placement.source.width > picture.width
            || placement.source.y + placement.source.height > picture.height
            || target.x + target.width > size.width || target.y + target.height > size.height
        return isOutside ? "\(placement) of \(picture) on \(size)" : nil
    }

    func setActive(_ isActive: Bool) throws {
        video = nil
        let isRefused = script.with { state in
            state.isActive = isActive
            state.onScreen = []
            state.committed = []
            return state.refusesStandby && !isActive
        }
        if isRefused {
            throw StandbyRefused(reason: SystemCallError(call: "DRM_IOCTL_MODE_ATOMIC", code: 22))
        }
    }

    func readFlip() throws -> Int64? {
        if isAnnounced { return try readTimer() }
        script.with { $0.faults.append("a flip read that nobody announces") }
        return nil
    }

    private func readTimer() throws -> Int64? {
        guard let time = try screen.readFlip() else { return nil }
        isFlipping = false
        script.with { $0.onScreen = $0.committed }
        return time
    }

    func checkConnection() throws(DisplayError) {
        if !script.with({ $0.isPlugged }) {
            throw DisplayError(.noDisplay, "the monitor is unplugged")
        }
    }

    func close() {
        script.with { state in
            state.onScreen = []
            state.committed = []
        }
        screen.close()
    }

    private func firstPixel(_ image: any ScanoutImage) throws -> UInt32 {
        try unsafe image.buffers[0].withBytes(.read) { unsafe $0.loadUnaligned(as: UInt32.self) }
    }
}

/// An image that records a fault if it is removed while on screen.
private final class WatchedImage: ScanoutImage {
    private let image: any ScanoutImage
    private let script: ScreenScript

    let rotation: Rotation

    init(_ image: any ScanoutImage, _ script: ScreenScript, rotation: Rotation = .none) {
        self.image = image
        self.script = script
        self.rotation = rotation
    }

    deinit {
        let identifier = ObjectIdentifier(self)
        let name = "\(description.pixelFormat) \(description.dimensions)"
        script.with { state in
            if state.onScreen.contains(identifier) || state.committed.contains(identifier) {
                state.faults.append("\(name) removed while on screen")
            }
        }
    }

    var description: FrameDescription { image.description }
    var buffers: [FrameBuffer] { image.buffers }
}
