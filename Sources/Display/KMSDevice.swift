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

    private let card: Card
    private var connector: Connector
    /// The monitor's own mode, or the configured one.
    private let native: DisplayMode
    private let crtc: CRTC
    private let primary: Plane
    private let overlayPlane: Plane?
    private let selection: Selection
    private let before: ScreenState
    private var mode: DisplayMode
    private var request = AtomicRequest()
    private var black: Framebuffer?
    /// What the last commit placed, so that a plain flip sets one property only.
    private var placed: (placement: LayerPlacement, format: PixelFormat)?
    private var overlayIsPlaced = false

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
            overlayPlane = planes.first { $0.kind == .overlay && $0.scans(.argb) }
            before = ScreenState(of: crtc, connector, planes: planes, card: card)
            native = try Self.chooseMode(connector, selection.mode)
            mode = native
            try card.becomeMaster()
            try setMode(mode)
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

    public func placeVideo(
        _ image: any ScanoutImage, _ layout: VideoLayout
    ) throws -> LayerPlacement {
        guard let image = image as? Framebuffer else {
            throw DisplayError(.unsupported, "a picture of another display")
        }
        let picture = image.description.dimensions
        if let placement = test(image, layout, on: mode) { return placement }
        guard selection.mode == .automatic,
            let match = connector.modes.first(where: { $0.size == picture })
        else { throw unsupported(image) }
        let earlier = mode
        try setMode(match)
        if let placement = test(image, layout, on: match) { return placement }
        try setMode(earlier)
        throw unsupported(image)
    }

    private func unsupported(_ image: Framebuffer) -> DisplayError {
        let picture = image.description
        return DisplayError(
            .unsupported,
            "\(connector.name) at \(mode.name) cannot scan out \(picture.dimensions) "
                + "\(picture.pixelFormat)")
    }

    /// Asks the kernel whether this placement works (`TEST_ONLY`).
    private func test(
        _ image: Framebuffer, _ layout: VideoLayout, on mode: DisplayMode
    ) -> LayerPlacement? {
        let placement = layout.place(image.description.dimensions, on: mode.size)
        request.clear()
        let canMirror = request.show(
            image, on: primary, of: crtc, card: card, source: placement.source,
            target: placement.target, mirrored: placement.isMirrored)
        guard canMirror, (try? request.commit(card, .testOnly)) != nil else { return nil }
        return placement
    }

    public func commit(
        video: (any ScanoutImage)?, _ placement: LayerPlacement, overlay: (any ScanoutImage)?
    ) throws {
        request.clear()
        if let image = video as? Framebuffer {
            let format = image.description.pixelFormat
            if let placed, placed == (placement, format) {
                request.flip(primary, to: image)
            } else {
                request.show(
                    image, on: primary, of: crtc, card: card, source: placement.source,
                    target: placement.target, mirrored: placement.isMirrored)
                placed = (placement, format)
            }
        } else {
            showBlack()
        }
        if let overlayPlane { placeOverlay(overlay as? Framebuffer, on: overlayPlane) }
        do {
            try request.commit(card, [.nonBlocking, .pageFlipEvent])
        } catch {
            placed = nil
            overlayIsPlaced = false
            throw error
        }
    }

    private func placeOverlay(_ image: Framebuffer?, on plane: Plane) {
        guard let image else {
            if overlayIsPlaced { request.hide(plane) }
            overlayIsPlaced = false
            return
        }
        if overlayIsPlaced {
            request.flip(plane, to: image)
            return
        }
        let whole = PixelRect(mode.size)
        request.show(image, on: plane, of: crtc, card: card, source: whole, target: whole)
        overlayIsPlaced = true
    }

    private func showBlack() {
        guard let black else { return }
        let whole = PixelRect(mode.size)
        request.show(black, on: primary, of: crtc, card: card, source: whole, target: whole)
        placed = nil
    }

    /// Sets a mode with a black picture and no overlay; returns when it is on screen.
    private func setMode(_ mode: DisplayMode) throws {
        let black = try card.makeDumbFramebuffer(
            .xrgb, mode.size, color: .jpeg, keepsMapping: false)
        let blob = try PropertyBlob(card, mode: mode)
        let whole = PixelRect(mode.size)
        request.clear()
        request.activate(crtc, connector, blob)
        request.show(black, on: primary, of: crtc, card: card, source: whole, target: whole)
        if let overlayPlane { request.hide(overlayPlane) }
        try request.commit(card, .allowModeset)
        self.mode = mode
        self.black = black
        placed = nil
        overlayIsPlaced = false
    }

    public func readFlip() throws -> Int64? { try card.readPageFlip()?.timestamp }

    public func checkConnection() throws(DisplayError) {
        guard let now = card.connector(connector.identifier), now.isConnected else {
            throw DisplayError(.noDisplay, "\(connector.name) is unplugged")
        }
        for wanted in [mode, native] where !now.modes.contains(wanted) {
            throw DisplayError(
                .noDisplay, "\(connector.name) has another monitor, without \(wanted.name)")
        }
        connector = now
    }

    public func close() {
        if (try? before.restore(card)) == nil {
            request.clear()
            request.hide(primary)
            if let overlayPlane { request.hide(overlayPlane) }
            request.deactivate(crtc, connector)
            try? request.commit(card, .allowModeset)
        }
        card.dropMaster()
    }
}
