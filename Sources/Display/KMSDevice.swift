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
        public var mode: Mode

        public init(driver: String? = nil, connector: String? = nil, mode: Mode = .automatic) {
            self.driver = driver
            self.connector = connector
            self.mode = mode
        }
    }

    let card: Card
    let crtc: CRTC
    let primary: Plane
    /// Those that take ARGB8888.
    let overlayPlanes: [Plane]
    let selection: Selection
    /// The monitor's own mode, or the configured one.
    let native: DisplayMode
    private let before: ScreenState
    var connector: Connector
    var mode: DisplayMode
    var request = AtomicRequest()
    /// The overlay's: one that works together with the video.
    var overlayPlane: Plane?
    /// Planes that an earlier program left on the screen.
    private var strays: [Plane]
    private var black: Framebuffer?
    /// What the last commit placed, so that a plain flip sets one property only.
    private var placed: Placed?
    private var placedOverlay: (plane: Plane, image: Framebuffer)?

    private struct Placed: Equatable {
        var placement: LayerPlacement
        var format: PixelFormat
        var color: ColorDescription
    }

    public var connectorName: String { connector.name }
    public var modeName: String { mode.name }
    public var size: Dimensions { mode.size }
    public var preferredSize: Dimensions { native.size }
    public var flipDescriptor: CInt { card.number }
    public var hasOverlay: Bool { overlayPlane != nil }

    /// Takes the screen: becomes master, sets the mode, shows black.
    public init(_ selection: Selection) throws(DisplayError) {
        let found = try Self.find(selection)
        (card, connector, crtc) = (found.card, found.connector, found.crtc)
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
            try Self.becomeMaster(card)
            try setMode(native, choosingOverlay: true)
        } catch let error as DisplayError {
            throw error
        } catch let error as SystemCallError {
            throw DisplayError(
                error.isPermission ? .notPermitted : .failed,
                "display \(found.connector.name) cannot be taken", underlying: error)
        } catch {
            throw DisplayError(.failed, "display \(found.connector.name)", underlying: error)
        }
    }

    public func canScanOut(_ format: PixelFormat) -> Bool { primary.scans(format) }

    public func importImage(
        _ description: FrameDescription, _ buffers: [FrameBuffer]
    ) throws -> any ScanoutImage {
        try card.importFramebuffer(description, buffers)
    }

    public func makeImage(
        _ format: PixelFormat, _ size: Dimensions, color: ColorDescription, _ mapping: ImageMapping
    ) throws -> any ScanoutImage {
        try card.makeDumbFramebuffer(format, size, color: color, keepsMapping: mapping == .kept)
    }

    public func commit(
        video: (any ScanoutImage)?, _ placement: LayerPlacement, overlay: (any ScanoutImage)?
    ) throws {
        request.clear()
        if let image = video as? Framebuffer {
            show(image, placement)
        } else {
            showBlack()
        }
        hideFormerOverlay()
        if let overlayPlane { placeOverlay(overlay as? Framebuffer, on: overlayPlane) }
        do {
            try request.commit(card, [.nonBlocking, .pageFlipEvent])
        } catch {
            placed = nil
            placedOverlay = nil
            throw error
        }
    }

    private func show(_ image: Framebuffer, _ placement: LayerPlacement) {
        let picture = image.description
        let wanted = Placed(
            placement: placement, format: picture.pixelFormat, color: picture.color)
        if placed == wanted {
            request.flip(primary, to: image)
            return
        }
        request.show(
            image, on: primary, of: crtc, card: card, source: placement.source,
            target: placement.target, mirrored: placement.isMirrored)
        placed = wanted
    }

    /// Planes beside the primary that may be showing something.
    var visiblePlanes: [Plane] { strays + [placedOverlay?.plane].compactMap { $0 } }

    private func hideFormerOverlay() {
        if let old = placedOverlay?.plane, old.identifier != overlayPlane?.identifier {
            request.hide(old)
            placedOverlay = nil
        }
    }

    private func placeOverlay(_ image: Framebuffer?, on plane: Plane) {
        guard let image else {
            if placedOverlay != nil { request.hide(plane) }
            placedOverlay = nil
            return
        }
        if placedOverlay?.image === image { return }  // there already
        if placedOverlay != nil {
            request.flip(plane, to: image)
        } else {
            let whole = PixelRect(mode.size)
            request.show(image, on: plane, of: crtc, card: card, source: whole, target: whole)
        }
        placedOverlay = (plane, image)
    }

    private func showBlack() {
        guard let black else { return }
        let whole = PixelRect(mode.size)
        request.show(black, on: primary, of: crtc, card: card, source: whole, target: whole)
        placed = nil
    }

    /// Sets a mode with a black picture and no overlay; returns when it is on screen.
    ///
    /// - Parameter choosingOverlay: whether to look for an overlay plane that works above it.
    func setMode(_ mode: DisplayMode, choosingOverlay: Bool = false) throws {
        let black = try card.makeDumbFramebuffer(
            .xrgb, mode.size, color: .jpeg, keepsMapping: false)
        let blob = try PropertyBlob(card, mode: mode)
        let whole = LayerPlacement.whole(mode.size)
        if choosingOverlay { overlayPlane = findOverlay(above: black, whole, mode, blob) }
        build(black, whole, mode, blob, overlay: nil)
        try request.commit(card, .allowModeset)
        self.mode = mode
        self.black = black
        placed = nil
        placedOverlay = nil
        strays = []
    }

    public func readFlip() throws -> Int64? { try card.readPageFlip() }

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

    public func close() {
        if (try? before.restore(card)) == nil {
            request.clear()
            request.hide(primary)
            for plane in visiblePlanes { request.hide(plane) }
            request.deactivate(crtc, connector)
            try? request.commit(card, .allowModeset)
        }
        card.dropMaster()
    }
}
