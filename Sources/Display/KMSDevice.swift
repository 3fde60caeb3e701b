// SPDX-License-Identifier: GPL-3.0-or-later

public import DRM
public import Imaging
internal import LinuxIO
public import Media

extension Framebuffer: ScanoutImage {}

/// A monitor or panel driven through DRM/KMS atomic modesetting.
public final class KMSDevice: ScanoutDevice {
    /// The choice of a display and of its mode.
    public struct Selection: Sendable, Equatable {
        /// The choice among the monitor's modes; interlaced ones are never set.
        public enum Mode: Sendable, Equatable {
            /// The monitor's own mode, or one that matches the camera if planes cannot scale.
            case automatic
            case native
            case size(Dimensions)
        }
        /// The kernel driver's name; `nil` for any.
        public var driver: String?
        /// The connector's name; `nil` for the first connected one.
        public var connector: String?
        /// The connector that is left to another display; `nil` for none.
        public var otherConnector: String?
        /// The mode. A size is not turned; if no mode has it, the monitor's own mode is used.
        public var mode: Mode
        /// The rotation that makes pictures upright for the viewer.
        public var rotation: Rotation

        /// Creates a selection; by default of the first connected display, not turned.
        public init(
            driver: String? = nil, connector: String? = nil, otherConnector: String? = nil,
            mode: Mode = .automatic, rotation: Rotation = .none
        ) {
            self.driver = driver
            self.connector = connector
            self.otherConnector = otherConnector
            self.mode = mode
            self.rotation = rotation
        }
    }

    let card: Card
    let crtc: CRTC
    let primary: Plane
    /// The overlay planes that accept ARGB8888.
    let overlayPlanes: [Plane]
    let selection: Selection
    /// All shares of the card and this display's own; `nil` if the card is not shared.
    private let shared: (shares: CardShares, own: CardShares.Share)?
    /// The monitor's own mode, or the configured one.
    let native: DisplayMode
    private var before: ScreenState?
    var connector: Connector
    var mode: DisplayMode
    var request = AtomicRequest()
    /// Whether the planes turn pictures; if not, the writer of a picture turns it.
    var planesTurn = true
    /// The plane of the overlay, which works together with the video's plane.
    var overlayPlane: Plane? { didSet { placed = nil } }
    /// Planes beside the primary that show something unwanted: an earlier program's picture, or
    /// ours after a failed commit.
    private var strays: [Plane]
    private var black: Framebuffer?
    /// The picture that a new mode shows until a commit brings video or an overlay.
    private var firstPicture: Framebuffer?
    private let makeFirstPicture: (Dimensions) -> OverlayPicture?
    /// The picture on the primary plane while there is no video, in the last commit and on screen.
    /// Its memory is in use until the flip that replaces it.
    private var backdrop: (next: Framebuffer?, shown: Framebuffer?)
    /// Whether the last commit showed video or an overlay.
    private var hasPictures = false
    /// The placement in the last commit, which the next commit need not repeat.
    private var placed: Placed? { didSet { plainFlip.isPossible = false } }
    private var plainFlip = PlainFlip()
    private var placedOverlay: (plane: Plane, image: Framebuffer)?

    private struct Placed: Equatable {
        var placement: LayerPlacement
        var rotation: Rotation
        var format: PixelFormat
        var color: ColorDescription

        init(_ image: Framebuffer, _ placement: LayerPlacement) {
            self.placement = placement
            rotation = image.rotation
            format = image.description.pixelFormat
            color = image.description.color
        }
    }

    /// A request that changes only the picture on the primary plane.
    private struct PlainFlip: ~Copyable {
        /// Whether the last commit showed video, and nothing has changed since.
        var isPossible = false
        private var request = AtomicRequest()

        mutating func commit(
            _ image: Framebuffer, on plane: Plane, _ card: Card, _ options: AtomicRequest.Options
        ) throws -> Bool {
            if !isPossible { return false }
            request.onlyFlip(plane, to: image)
            try request.commit(card, options)
            return true
        }
    }

    /// The connector's name, constant for the device's lifetime.
    public var connectorName: String { connector.name }
    /// The name of the current mode, which ``placeVideo(_:_:)`` may change.
    public var modeName: String { mode.name }
    /// The size of the current mode in pixels, turned by the selection's rotation.
    public var size: Dimensions { upright(mode) }
    /// The size of the preferred mode, turned like ``size``. It never changes.
    public var preferredSize: Dimensions { upright(native) }
    /// The card's descriptor. It closes with the device and its pictures, not in ``close()``.
    public var flipDescriptor: CInt { card.number }
    /// The refresh interval of the current mode, in nanoseconds.
    public var refreshInterval: Int64 { Int64(1e9 / max(mode.refreshRate, 1)) }
    /// Whether an overlay plane works. The kernel is asked when the screen is taken (`TEST_ONLY`);
    /// the answer never changes.
    public var hasOverlay: Bool { overlayPlane != nil }

    /// Takes the screen: becomes master, sets the mode and shows a first picture. Several displays
    /// of this program have `shares`; each takes what the others leave. `firstPicture` makes the
    /// first picture of this and each later mode in the screen's size; `nil` for black.
    public init(
        _ selection: Selection, sharing shares: CardShares? = nil,
        firstPicture: @escaping (Dimensions) -> OverlayPicture? = { _ in nil }
    ) throws(DisplayError) {
        makeFirstPicture = firstPicture
        let found: (card: Card, connector: Connector, crtc: CRTC)
        if let shares {
            let taken = try shares.lease(selection)
            shared = (shares, taken.share)
            found = (taken.share.lease.card, taken.connector, taken.crtc)
        } else {
            shared = nil
            found = try Self.find(selection)
        }
        (card, connector, crtc) = found
        self.selection = selection
        do {
            let planes = crtc.planes(of: try card.planes())
            guard let primary = planes.first(where: { $0.kind == .primary }) else {
                throw DisplayError(
                    .unsupported, "\(card.path): \(connector.name) has no primary plane")
            }
            self.primary = primary
            overlayPlanes = planes.filter { $0.kind == .overlay && $0.scans(.argb) }
            strays = planes.filter { [crtc] in $0.kind != .primary && $0.isShown(by: crtc) }
            before = ScreenState(of: crtc, connector, planes: planes, card: card)
            native = try Self.chooseMode(connector, selection.mode)
            mode = native
            if shared == nil { try Self.becomeMaster(card) }
            try setMode(native, isFirst: true)
        } catch {
            if let shared { shared.shares.release(shared.own) }
            throw Self.refusal(error, of: found.connector)
        }
    }

    private static func refusal(_ error: any Error, of connector: Connector) -> DisplayError {
        switch error {
        case let error as DisplayError: error
        case let error as SystemCallError:
            DisplayError(
                error.isPermission ? .notPermitted : .failed,
                "display \(connector.name) cannot be taken", underlying: error)
        default: DisplayError(.failed, "display \(connector.name)", underlying: error)
        }
    }

    /// Whether the primary plane lists the format. A size or memory may still be refused.
    public func canScanOut(_ format: PixelFormat) -> Bool { primary.scans(format) }

    /// Makes a picture of DMA-BUFs, which it keeps for its lifetime. Throws `SystemCallError`:
    /// `EBADF` for other memory, `EINVAL` if the driver cannot scan it out.
    public func importImage(
        _ description: FrameDescription, _ buffers: [FrameBuffer]
    ) throws -> any ScanoutImage {
        try card.importFramebuffer(description, buffers)
    }

    /// Allocates a dumb buffer with the driver's row length. Throws `SystemCallError`: `EINVAL` for
    /// formats that cannot be scanned out.
    public func makeImage(
        _ format: PixelFormat, _ size: Dimensions, color: ColorDescription, _ mapping: ImageMapping
    ) throws -> any ScanoutImage {
        try card.makeDumbFramebuffer(format, size, color: color, keepsMapping: mapping == .kept)
    }

    /// Allocates a dumb buffer with full-range BT.601 colours; throws `SystemCallError`.
    public func makeScreenImage(
        _ format: PixelFormat, _ size: Dimensions, _ mapping: ImageMapping
    ) throws -> any ScanoutImage {
        try screenImage(format, size, keepsMapping: mapping == .kept)
    }

    func screenImage(
        _ format: PixelFormat, _ size: Dimensions, keepsMapping: Bool
    ) throws(SystemCallError) -> Framebuffer {
        let rotation = planesTurn ? Rotation.none : selection.rotation
        let image = try card.makeDumbFramebuffer(
            format, rotation.apply(to: size), color: .jpeg, keepsMapping: keepsMapping)
        image.rotation = rotation
        return image
    }

    private func screenImage(
        _ picture: OverlayPicture, _ size: Dimensions
    ) throws -> Framebuffer {
        let image = try screenImage(.xrgb, size, keepsMapping: false)
        try image.write(picture)
        return image
    }

    /// Makes one non-blocking commit. The caller keeps the pictures until a flip has replaced them.
    /// A picture of another device counts as `nil`. Throws the kernel's `SystemCallError`; the
    /// screen keeps what it shows.
    public func commit(
        video: (any ScanoutImage)?, _ placement: LayerPlacement, overlay: (any ScanoutImage)?
    ) throws {
        hasPictures = video != nil || overlay != nil
        let image = video as? Framebuffer
        let former = placedOverlay?.plane
        request.clear()
        if let image { show(image, placement) } else { showBlack() }
        hideFormerOverlays()
        if let overlayPlane { placeOverlay(overlay as? Framebuffer, on: overlayPlane) }
        if image != nil { backdrop.next = nil }
        do {
            try request.commit(card, .flip)
            strays = []
            plainFlip.isPossible = image != nil
        } catch {
            distrust(former)
            throw error
        }
    }

    /// Sets only the primary plane's picture, and throws as a commit does. The pictures must have
    /// the same shape and planes.
    public func flip(to video: any ScanoutImage, isAnnounced: Bool) throws -> Bool {
        guard let image = video as? Framebuffer else { return false }
        do {
            return try plainFlip.commit(
                image, on: primary, card, isAnnounced ? .flip : .nonBlocking)
        } catch {
            distrust(nil)
            throw error
        }
    }

    /// Makes the next commit after a failed one complete, and lets it hide planes that may still be
    /// visible, such as `former`, the overlay's plane before the failure.
    private func distrust(_ former: Plane?) {
        if let plane = former ?? placedOverlay?.plane, !isStray(plane) { strays.append(plane) }
        placed = nil
        placedOverlay = nil
    }

    private func show(_ image: Framebuffer, _ placement: LayerPlacement) {
        let wanted = Placed(image, placement)
        if placed == wanted {
            request.flip(primary, to: image)
        } else {
            place(image, placement, on: primary, in: mode)
        }
        placed = wanted
    }

    /// Planes beside the primary that may be showing something.
    var visiblePlanes: [Plane] { strays + [placedOverlay?.plane].compactMap { $0 } }

    private func isStray(_ plane: Plane) -> Bool {
        strays.contains { $0.identifier == plane.identifier }
    }

    /// Hides all planes beside the primary, except the one that is about to get the overlay.
    private func hideFormerOverlays() {
        for plane in visiblePlanes where plane.identifier != overlayPlane?.identifier {
            request.hide(plane)
            if plane.identifier == placedOverlay?.plane.identifier { placedOverlay = nil }
        }
    }

    private func placeOverlay(_ image: Framebuffer?, on plane: Plane) {
        guard let image else {
            if placedOverlay != nil || isStray(plane) { request.hide(plane) }
            placedOverlay = nil
            return
        }
        if placedOverlay?.image === image { return }  // already there
        if placedOverlay != nil {
            request.flip(plane, to: image)
        } else {
            place(image, .whole(size), on: plane, in: mode)
        }
        placedOverlay = (plane, image)
    }

    private func showBlack() {
        guard let picture = firstPicture ?? black else { return }
        place(picture, .whole(size), on: primary, in: mode)
        backdrop.next = picture
        placed = nil
    }

    /// Sets a mode with the first picture, or black, and no overlay. Returns once it is on screen.
    /// If `isFirst`, looks for an overlay plane that works above the picture.
    func setMode(_ mode: DisplayMode, isFirst: Bool = false) throws {
        let blob = try PropertyBlob(card, mode: mode)
        if isFirst { try chooseLayers(mode, blob) }
        let black = try screenImage(.xrgb, upright(mode), keepsMapping: false)
        let first = makeFirstPicture(upright(mode)).flatMap { try? screenImage($0, upright(mode)) }
        build(first ?? black, .whole(upright(mode)), mode, blob, overlay: nil)
        try request.commit(card, .allowModeset)
        firstPicture = first
        backdrop = (first ?? black, first ?? black)
        // A flip that is still pending belongs to the previous mode.
        hasPictures = false
        self.mode = mode
        self.black = black
        placed = nil
        placedOverlay = nil
        strays = []
    }

    /// Switches standby on by the CRTC's `ACTIVE`, keeping the mode; off by setting the mode. Waits
    /// for the hardware. Throws ``StandbyRefused``; `SystemCallError` if nothing could be changed.
    public func setActive(_ isActive: Bool) throws {
        if isActive { return try setMode(mode) }
        do {
            try showNothing(inStandby: true)
        } catch let error as SystemCallError where !error.isMomentary {
            try showNothing(inStandby: false)
            throw StandbyRefused(reason: error)
        }
    }

    private func showNothing(inStandby: Bool) throws {
        request.clear()
        // The primary plane is not hidden: many drivers require a picture while a mode is set.
        if let black { place(black, .whole(size), on: primary, in: mode) }
        for plane in visiblePlanes { request.hide(plane) }
        if inStandby { request.standBy(crtc) }
        try request.commit(card, .allowModeset)
        backdrop = (black, black)
        placed = nil
        placedOverlay = nil
        firstPicture = nil
    }

    /// Reads all waiting events; returns the newest flip's time. Throws `SystemCallError`.
    public func readFlip() throws -> Int64? {
        guard let time = try card.readPageFlip() else { return nil }
        if backdrop.shown !== backdrop.next { backdrop.shown = backdrop.next }
        if hasPictures { firstPicture = nil }
        return time
    }

    /// Probes the connector, which can take tens of milliseconds. Throws `noDisplay` if the monitor
    /// is unplugged or its own mode has changed.
    public func checkConnection() throws(DisplayError) {
        guard let now = card.connector(connector.identifier), now.isConnected else {
            throw DisplayError(.noDisplay, "\(connector.name) is unplugged")
        }
        // The own mode also changes if the monitor's description can be read only now.
        guard now.modes.contains(mode), try Self.chooseMode(now, selection.mode) == native else {
            throw DisplayError(.noDisplay, "\(connector.name) has another monitor")
        }
        connector = now
    }

    /// Restores the former picture or turns the screen off, and frees it for others. Call it once.
    public func close() {
        if (try? before.take()?.restore(card)) == nil {
            request.clear()
            request.hide(primary)
            for plane in visiblePlanes { request.hide(plane) }
            request.deactivate(crtc, connector)
            try? request.commit(card, .allowModeset)
        }
        if let shared { shared.shares.release(shared.own) } else { card.dropMaster() }
    }
}
