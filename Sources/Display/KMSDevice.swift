// SPDX-License-Identifier: GPL-3.0-or-later

public import DRM
public import Imaging
internal import LinuxIO
public import Media

extension Framebuffer: ScanoutImage {}

/// A monitor or panel driven through DRM/KMS atomic modesetting.
public final class KMSDevice: ScanoutDevice {
    /// Which display, and how its mode is chosen.
    public struct Selection: Sendable, Equatable {
        /// Which of the monitor's modes is set; interlaced ones never are.
        public enum Mode: Sendable, Equatable {
            /// The monitor's own; a mode that matches the camera where planes cannot scale.
            case automatic
            case native
            case size(Dimensions)
        }
        /// The kernel driver's name; `nil` for any.
        public var driver: String?
        /// The connector's name; `nil` for the first that is connected.
        public var connector: String?
        /// The connector that is another display's; `nil` for none.
        public var otherConnector: String?
        /// A size is the mode's own, not turned; the monitor's own where there is no such mode.
        public var mode: Mode
        /// How pictures are turned for a person to see them upright.
        public var rotation: Rotation

        /// Of the given parts; without any the first connected display, nothing turned.
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
    /// Those that take ARGB8888.
    let overlayPlanes: [Plane]
    let selection: Selection
    /// Where the card is shared with other displays.
    private let shared: (shares: CardShares, own: CardShares.Share)?
    /// The monitor's own mode, or the configured one.
    let native: DisplayMode
    private var before: ScreenState?
    var connector: Connector
    var mode: DisplayMode
    var request = AtomicRequest()
    /// Whether planes turn pictures; if not, whoever writes them does.
    var planesTurn = true
    /// The overlay's: one that works together with the video.
    var overlayPlane: Plane? { didSet { placed = nil } }
    /// Planes beside the primary that show what nobody wants: an earlier program's, or ours when the commit that
    /// was to change it failed.
    private var strays: [Plane]
    private var black: Framebuffer?
    /// What a new mode shows until there is anything else.
    private var firstPicture: Framebuffer?
    private let makeFirstPicture: (Dimensions) -> OverlayPicture?
    /// What lies on the primary plane where no video does: as of the last commit, and on screen. Its memory is
    /// in use until the flip that puts something else there.
    private var backdrop: (next: Framebuffer?, shown: Framebuffer?)
    /// Whether the last commit brought something.
    private var hasPictures = false
    /// What the last commit placed, so that the next one need not say it again.
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

    /// The request for nothing but another picture on the primary plane.
    private struct PlainFlip: ~Copyable {
        /// Whether the last commit showed video, and nothing has come in between.
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

    /// The same for as long as the device lives.
    public var connectorName: String { connector.name }
    /// Of the mode set last; ``placeVideo(_:_:)`` may set another.
    public var modeName: String { mode.name }
    /// Of the mode set last, in pixels, turned by the selection's rotation.
    public var size: Dimensions { upright(mode) }
    /// Never changes; turned like ``size``.
    public var preferredSize: Dimensions { upright(native) }
    /// The card's; ends with the device and its pictures, not by ``close()``.
    public var flipDescriptor: CInt { card.number }
    /// Of the mode set last.
    public var refreshInterval: Int64 { Int64(1e9 / max(mode.refreshRate, 1)) }
    /// Found out when the screen is taken, by asking the kernel (`TEST_ONLY`); never changes.
    public var hasOverlay: Bool { overlayPlane != nil }

    /// Takes the screen: becomes master, sets the mode, shows a first picture.
    ///
    /// - Parameters:
    ///   - shares: of this program's displays, where there are several: each takes what the others leave.
    ///   - firstPicture: what this mode and each later one comes with, made for the screen's size;
    ///     black where it makes none.
    public init(
        _ selection: Selection, sharing shares: CardShares? = nil,
        firstPicture: @escaping (Dimensions) -> OverlayPicture? = { _ in nil }
    ) throws(DisplayError) {
        makeFirstPicture = firstPicture
        let found: (card: Card, connector: Connector, crtc: CRTC)
        if let shares {
            let taken = try shares.take(selection)
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

    /// What the primary plane lists; size and memory may be refused all the same.
    public func canScanOut(_ format: PixelFormat) -> Bool { primary.scans(format) }

    /// Keeps the DMA-BUFs as long as the picture lives.
    ///
    /// - Throws: `SystemCallError`: `EBADF` for other memory, `EINVAL` for what the driver cannot
    ///   scan out.
    public func importImage(
        _ description: FrameDescription, _ buffers: [FrameBuffer]
    ) throws -> any ScanoutImage {
        try card.importFramebuffer(description, buffers)
    }

    /// A dumb buffer, with the driver's row length.
    ///
    /// - Throws: `SystemCallError`: `EINVAL` for formats that cannot be scanned out.
    public func makeImage(
        _ format: PixelFormat, _ size: Dimensions, color: ColorDescription, _ mapping: ImageMapping
    ) throws -> any ScanoutImage {
        try card.makeDumbFramebuffer(format, size, color: color, keepsMapping: mapping == .kept)
    }

    /// A dumb buffer of full-range BT.601 colours; throws `SystemCallError`.
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

    /// One non-blocking commit. The caller keeps the pictures until a flip has put others there;
    /// one of another device counts as `nil`.
    ///
    /// - Throws: `SystemCallError`, as the kernel refused; the screen keeps what it shows.
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

    /// One property, for pictures of the same shape on the same planes; what is thrown is as of a commit.
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

    /// A commit has failed: the next one says everything, and hides what may have stayed.
    ///
    /// - Parameter former: where the overlay was before.
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

    /// All but the plane that the overlay is about to be placed on.
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
        if placedOverlay?.image === image { return }  // there already
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

    /// Sets a mode with the first picture, or black, and no overlay; returns when it is on screen.
    ///
    /// - Parameter isFirst: whether to look for an overlay plane that works above it.
    func setMode(_ mode: DisplayMode, isFirst: Bool = false) throws {
        let blob = try PropertyBlob(card, mode: mode)
        if isFirst { try chooseLayers(mode, blob) }
        let black = try screenImage(.xrgb, upright(mode), keepsMapping: false)
        let first = makeFirstPicture(upright(mode)).flatMap { try? screenImage($0, upright(mode)) }
        build(first ?? black, .whole(upright(mode)), mode, blob, overlay: nil)
        try request.commit(card, .allowModeset)
        firstPicture = first
        backdrop = (first ?? black, first ?? black)
        // The flip that is still to come belongs to the mode before.
        hasPictures = false
        self.mode = mode
        self.black = black
        placed = nil
        placedOverlay = nil
        strays = []
    }

    /// Standby is the CRTC's `ACTIVE` at 0, its mode kept. Waits for the hardware.
    ///
    /// - Throws: ``StandbyRefused``; `SystemCallError` when nothing could be changed.
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
        // Not hidden: many drivers want a picture for as long as there is a mode.
        if let black { place(black, .whole(size), on: primary, in: mode) }
        for plane in visiblePlanes { request.hide(plane) }
        if inStandby { request.standBy(crtc) }
        try request.commit(card, .allowModeset)
        backdrop = (black, black)
        placed = nil
        placedOverlay = nil
        firstPicture = nil
    }

    /// Reads all waiting events, the newest counts; throws `SystemCallError` when that fails.
    public func readFlip() throws -> Int64? {
        guard let time = try card.readPageFlip() else { return nil }
        if backdrop.shown !== backdrop.next { backdrop.shown = backdrop.next }
        if hasPictures { firstPicture = nil }
        return time
    }

    /// Probes the connector, which can take tens of milliseconds.
    ///
    /// - Throws: `noDisplay`, also when the monitor's own mode is another one now.
    public func checkConnection() throws(DisplayError) {
        guard let now = card.connector(connector.identifier), now.isConnected else {
            throw DisplayError(.noDisplay, "\(connector.name) is unplugged")
        }
        // Its own mode is another one also when its description could be read only now.
        guard now.modes.contains(mode), try Self.chooseMode(now, selection.mode) == native else {
            throw DisplayError(.noDisplay, "\(connector.name) has another monitor")
        }
        connector = now
    }

    /// Once. When the former picture cannot be put back the screen is turned off; then another
    /// program may take it.
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
